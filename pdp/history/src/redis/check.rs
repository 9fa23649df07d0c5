//! How the server is set up.

use pdp_onap::history::HistoryError;

use super::{RedisHistory, failed};

impl RedisHistory {
    /// Connects and looks at the server's settings; what is odd about them comes back.
    ///
    /// # Errors
    /// It cannot be reached, or it is a replica.
    pub async fn check(&self) -> Result<Vec<String>, HistoryError> {
        let mut to = self.connection.clone();
        let role: redis::Value =
            redis::cmd("ROLE").query_async(&mut to).await.map_err(|error| failed(&error))?;
        if let redis::Value::Array(parts) = &role
            && let Some(redis::Value::BulkString(role)) = parts.first()
            && role != b"master"
        {
            return Err(HistoryError::Refused(
                "this Redis is a replica: counts are read from the primary alone".into(),
            ));
        }
        let read: Result<Vec<String>, _> =
            redis::cmd("CONFIG").arg("GET").arg("append*").query_async(&mut to).await;
        let Ok(read) = read else {
            return Ok(vec![
                "the settings of Redis cannot be read, so it is not known what survives a power \
                 loss: appendonly should be yes and appendfsync always"
                    .into(),
            ]);
        };
        let value = |name: &str| {
            read.chunks(2).find(|pair| pair[0] == name).map_or("", |pair| pair[1].as_str())
        };
        let mut warnings = Vec::new();
        if value("appendonly") != "yes" {
            warnings.push(
                "Redis has appendonly off: what was recorded since its last snapshot is lost when it \
                 stops, and limiters permit more than they should"
                    .into(),
            );
        } else if value("appendfsync") != "always" {
            warnings.push(format!(
                "Redis has appendfsync {}: the last second of records can be lost when its machine \
                 stops",
                value("appendfsync")
            ));
        }
        Ok(warnings)
    }
}
