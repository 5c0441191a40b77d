/** Characters without a width, with which senders fill the preview of a mail. */
const FILLERS = /\u034f|[\u00ad\u180e\u200b\u2060-\u2064\ufeff]/g
/** Joiners, unless they join letters or emoji. */
const JOINERS =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Extended_Pictographic}])/gu

/** A text without invisible characters. */
export const removeFillers = (text: string): string =>
  text.replace(FILLERS, '').replace(JOINERS, '')
