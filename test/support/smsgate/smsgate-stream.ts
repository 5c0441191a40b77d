import type { Phone } from './smsgate-app.ts'

export const PULL = 'event: MessageEnqueued\ndata: null'

/** What comes on the phone's stream, frame by frame. */
export async function openEvents(phone: Phone, base = phone.options.url) {
  const off = new AbortController()
  const headers = { authorization: `Bearer ${phone.store.registration!.token}` }
  const response = await fetch(`${base}/events`, { headers, signal: off.signal })
  const frames: string[] = []
  const read = async () => {
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const parts = (text + chunk).split('\n\n')
      text = parts.pop()!
      frames.push(...parts)
    }
  }
  const reading = read().then(
    () => 'ended',
    () => 'cut off',
  )
  return {
    /** How it ended. */
    end: reading,
    type: response.headers.get('content-type'),
    frames,
    async close() {
      off.abort()
      await reading
    },
  }
}
