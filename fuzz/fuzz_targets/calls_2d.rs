#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    carom_fuzz::check(carom_fuzz::find("calls_2d").expect("a target"), bytes);
});
