//! What one worker thread has to itself.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use actix_web::HttpRequest;
use pdp_history::AsyncHistory;

use crate::app::App;
use crate::decide::Desk;
use crate::telemetry::Counters;

/// A worker thread: nothing in here is shared with another.
#[derive(Debug)]
pub struct Worker {
    /// What all workers share.
    pub app: Arc<App>,
    /// What guard policies ask, by this thread's own connections.
    pub history: Arc<dyn AsyncHistory>,
    /// Its counters.
    pub counters: Arc<Counters>,
    /// Its working memory for decisions. Never borrowed across an await.
    pub desk: RefCell<Desk>,
}

impl Worker {
    /// A worker of `app`, made within the runtime of its thread.
    pub fn new(app: Arc<App>) -> Self {
        let counters = app.workers.add();
        let history = app.histories.connect().expect("the start has tried these settings");
        let mut desk = Desk::default();
        desk.applied.wanted = app.decision_log.is_some() || app.traces.is_some();
        Self { app, history, counters, desk: RefCell::new(desk) }
    }

    /// The worker that a request came to.
    pub(crate) fn of(request: &HttpRequest) -> &Self {
        request.app_data::<Rc<Self>>().expect("every app has a worker")
    }
}
