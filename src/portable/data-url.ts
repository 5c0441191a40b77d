/** Prefix of the stored body of a binary SMS. webhook_queue.sql repeats it. */
export const DATA_URL = 'data:application/octet-stream;base64,'

/** A character that is seen: no blank, and no sign that only controls others. */
const SEEN = /[^\p{Z}\p{Cc}\p{Cf}]/u

/**
 * Whether a person may have written a received text: not a binary SMS, such as a WAP push or the notice of an
 * MMS, and not one without a text, such as a silent SMS.
 */
export const isWritten = (body: string): boolean => SEEN.test(body) && !body.startsWith(DATA_URL)
