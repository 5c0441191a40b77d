/** A fresh key for `Idempotency-Key`: the same request again, with the same key, is sent once. */
export const requestKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
