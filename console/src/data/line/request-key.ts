/** A new `Idempotency-Key`. The server carries out only one of several requests with the same key. */
export const newRequestKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

interface RequestKeys {
  /** The key of a request. A request that equals the last one, as after a lost answer, gets the same key. */
  of(request: unknown): string
  /** Forgets the last request. The next one gets a new key, even if its content is equal. */
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
