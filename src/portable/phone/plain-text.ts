/** Invisible characters, such as marks of the writing direction, which phones put around numbers. */
const MARKS = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Footnotes, fractions and numbers in circles, which NFKC would make digits of the number. */
const NO_DIGITS = /\p{No}/gu

/** A typed number with one kind of digits, spaces and pluses, without invisible characters. */
export const toPlainText = (text: string): string =>
  text
    .replace(/[\t\n\r]/g, ' ')
    .replace(NO_DIGITS, '\ufffd')
    .normalize('NFKC')
    .replace(MARKS, '')
    .replace(/(?![0-9])\p{Nd}/gu, (digit) => toWesternDigit(digit))
    .trim()

/** Unicode has the ten digits of a script in a row, and no two rows touch (NFKC converts those that do). */
function toWesternDigit(digit: string): string {
  const code = digit.codePointAt(0)!
  let zero = code
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return String((code - zero) % 10)
}

/** Characters that people write between the digits of a number. Wave dashes are before an extension. */
export const SEPARATORS = /(?:(?![〜〰])[\s()[\]./\\·•∙⋅‧'’`_|\p{Pd}−])+/gu
