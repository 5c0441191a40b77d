/** Prefix of the stored body of a binary SMS. webhook_queue.sql repeats it. */
export const DATA_URL = 'data:application/octet-stream;base64,'
