/** Characters without a width, with which senders fill the preview of a mail. */
const FILLERS = /\u034f|[\u00ad\u180e\u200b\u2060-\u2064\ufeff]/g
/** Joiners, unless they join letters or emoji. */
const JOINERS =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Extended_Pictographic}])/gu

/** A text without invisible characters. */
export const removeFillers = (text: string): string =>
  text.replace(FILLERS, '').replace(JOINERS, '')

/** Marks of the direction of a text. UAX #9, 2 */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** Letters that are written from right to left. */
const RIGHT_TO_LEFT =
  /(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** A text without marks of direction, unless it has letters that are written from right to left. */
export const removeDirectionMarks = (text: string): string =>
  RIGHT_TO_LEFT.test(text) ? text : text.replace(DIRECTION_MARKS, '')
