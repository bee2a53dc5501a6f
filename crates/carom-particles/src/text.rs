//! Numbers as C++ streams print them.

/// A number with up to six significant digits and no trailing zeros, as `%g` prints it: `0.20956`, `1e-09`, `1e+20`.
pub fn short_number(value: f64) -> String {
    const DIGITS: i32 = 6;
    if value.is_nan() {
        return if value.is_sign_negative() { "-nan".to_owned() } else { "nan".to_owned() };
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".to_owned() } else { "-inf".to_owned() };
    }
    // The exponent after rounding to the digits that are shown.
    let scientific = format!("{value:.*e}", DIGITS as usize - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..DIGITS).contains(&exponent) {
        return trimmed(&format!("{value:.*}", (DIGITS - 1 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::short_number;

    #[test]
    fn prints_as_c_does() {
        let expected = [
            (0.0, "0"),
            (1.0, "1"),
            (-0.291_687_171_194, "-0.291687"),
            (0.209_559_957, "0.20956"),
            (1e-9, "1e-09"),
            (2.014_15e-9, "2.01415e-09"),
            (0.0001, "0.0001"),
            (0.000_012_345_678, "1.23457e-05"),
            (123_456.7, "123457"),
            (999_999.9, "1e+06"),
            (1e20, "1e+20"),
            (1e-300, "1e-300"),
            (100.0, "100"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, text) in expected {
            assert_eq!(short_number(value), text);
        }
    }
}
