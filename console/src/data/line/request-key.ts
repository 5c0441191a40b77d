/** A new `Idempotency-Key`. The server sends a request once, even if it gets it again with the same key. */
export const newRequestKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

export interface RequestKeys {
  /** The key of a request. A repetition, as after a lost answer, gets an equal key. */
  of(request: unknown): string
  /** Ends a request: the next one gets a new key, even with equal content. */
  renew(): void
}

export function requestKeys(): RequestKeys {
  let last = { question: '', key: '' }
  return {
    of(request) {
      const question = JSON.stringify(request)
      if (last.question !== question) last = { question, key: newRequestKey() }
      return last.key
    },
    renew() {
      last = { question: '', key: '' }
    },
  }
}
