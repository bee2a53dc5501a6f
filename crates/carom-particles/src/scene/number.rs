//! Numbers as C++ streams read them, since the scenes were written for one.
//!
//! Leading white space is skipped and whatever follows the number is ignored (`1kg` is 1). The longest run of
//! characters that could belong to a number is taken, and must then be one: `1e` is refused, not read as 1.
//! Hexadecimal numbers, `inf` and `nan` are refused.

/// Reads a floating-point number. `None` if there is none, or if it is too large to be finite.
pub(super) fn float(text: &[u8]) -> Option<f64> {
    let text = skip_blanks(text);
    let mut end = sign_length(text);
    refuse_hexadecimal(&text[end..])?;
    let mut has_point = false;
    let mut has_exponent = false;
    let mut digits = 0;
    while let Some(&byte) = text.get(end) {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'.' if !has_point && !has_exponent => has_point = true,
            b'e' | b'E' if !has_exponent && digits > 0 => {
                has_exponent = true;
                end += sign_length(&text[end + 1..]);
            }
            _ => break,
        }
        end += 1;
    }
    let number: f64 = std::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
    (digits > 0 && number.is_finite()).then_some(number)
}

/// Reads a decimal integer. `None` if there is none, or if it does not fit in 32 bits.
pub(super) fn integer(text: &[u8]) -> Option<i32> {
    let text = skip_blanks(text);
    let sign = sign_length(text);
    refuse_hexadecimal(&text[sign..])?;
    let digits = text[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[..sign + digits]).ok()?.parse().ok()
}

fn skip_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
    &text[blanks..]
}

fn sign_length(text: &[u8]) -> usize {
    usize::from(matches!(text.first(), Some(b'+' | b'-')))
}

fn refuse_hexadecimal(text: &[u8]) -> Option<()> {
    (!matches!(text, [b'0', b'x' | b'X', ..])).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_read_as_streams_read_them() {
        let read = [
            ("1", 1.0),
            (" 1.0", 1.0),
            ("\t\n -2.5e-1", -0.25),
            (".9", 0.9),
            ("-.8", -0.8),
            ("+5.", 5.0),
            ("0.331436e6", 331_436.0),
            ("1kg", 1.0),
            ("1.5.3", 1.5),
            ("1E+2x", 100.0),
            ("2 3", 2.0),
            ("1e-400", 0.0),
            ("-0", -0.0),
            ("007", 7.0),
        ];
        for (text, expected) in read {
            assert_eq!(float(text.as_bytes()).map(f64::to_bits), Some(f64::to_bits(expected)), "{text:?}");
        }
        for text in [
            "", " ", ".", "-", "e5", "abc", "inf", "-inf", "nan", "NaN", "infinity", "0x10", "-0X1", "1e", "1e+",
            "1e999", "--1", "\u{ff11}",
        ] {
            assert_eq!(float(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn integers_are_read_as_streams_read_them() {
        for (text, expected) in [("3", 3), (" -7", -7), ("+2", 2), ("3.7", 3), ("1kg", 1), ("1e3", 1), ("00", 0)] {
            assert_eq!(integer(text.as_bytes()), Some(expected), "{text:?}");
        }
        for text in ["", "x", ".5", "0x10", "99999999999", "true", "- 1"] {
            assert_eq!(integer(text.as_bytes()), None, "{text:?}");
        }
    }
}
