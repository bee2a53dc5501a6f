#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    carom_fuzz::check(carom_fuzz::find("snapshot").expect("a target"), bytes);
});
