#[test]
#[ignore = "tmp"]
fn serve() {
    let stub = crate::stub::Stub::start(Default::default());
    std::fs::write("/tmp/stub.url", stub.url()).unwrap();
    std::thread::sleep(std::time::Duration::from_secs(900));
}
