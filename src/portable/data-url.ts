/** Prefix of the stored body of a binary SMS. webhook_queue.sql repeats it. */
export const DATA_URL = 'data:application/octet-stream;base64,'

/** A character that is seen: no blank, and no sign that only controls others. */
const SEEN = /[^\p{Z}\p{Cc}\p{Cf}]/u

/** False for a binary SMS (a WAP push, the notice of an MMS) and without a text, such as a silent SMS. */
export const isWritten = (body: string): boolean => SEEN.test(body) && !body.startsWith(DATA_URL)
