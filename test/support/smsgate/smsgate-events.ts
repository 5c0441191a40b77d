import { setTimeout as sleep } from 'node:timers/promises'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Phone } from './smsgate-app.ts'
import { hear } from './smsgate-inbox.ts'
import { change, readDate } from './smsgate-sender.ts'

// The app's event stream: SSEManager, SSEForegroundService and EventsRouter of the app.

/** What the app does on each event; of any other it can make nothing. */
const EVENTS: Readonly<Record<string, (phone: Phone, data: string) => void>> = {
  MessageEnqueued: (phone) => phone.wake(),
  WebhooksUpdated: () => {},
  SettingsUpdated: () => {},
  // whoever hears it says to the bus that it is hearing from what became of the text, and waits for itself
  // for ever
  MessageCancelled: (phone, data) => {
    const { messageId } = JSON.parse(data)
    if (phone.store.messages.get(messageId)?.state !== 'Pending') return
    phone.isDeaf = true
    change(phone, messageId, 'Cancelled')
  },
  MessagesExportRequested: (phone, data) => {
    const { since, until, triggerWebhooks } = JSON.parse(data)
    const [from, to] = [readDate(since), readDate(until)]
    if (String(triggerWebhooks) !== 'true') return
    for (const text of phone.inbox.filter((one) => one.receivedAt >= from && one.receivedAt <= to))
      hear(phone, text)
  },
}

/** Reconnects after 5 s, 30 s after five failures, 60 s after ten; pulls whenever it is connected. */
export async function listen(phone: Phone): Promise<void> {
  for (let failures = 0; phone.isOn; ) {
    await sleep(Math.max(0, phone.streamlessUntil - Date.now()))
    const response = await fetch(`${phone.options.url}/events`, {
      headers: { authorization: `Bearer ${phone.store.registration?.token}` },
      signal: phone.streamSignal(),
    }).catch(() => undefined)
    if (response?.ok) {
      failures = 0
      phone.wake()
      await read(phone, response)
    }
    failures++
    await sleep(phone.scaled(failures > 10 ? 60_000 : failures > 5 ? 30_000 : 5_000))
  }
}

async function read(phone: Phone, response: Response): Promise<void> {
  const texts = response.body!.pipeThrough(new TextDecoderStream())
  try {
    for await (const { event = '', data } of texts.pipeThrough(new EventSourceParserStream())) {
      if (!phone.isOn || phone.isDeaf) continue
      const act = EVENTS[event]
      if (act) act(phone, data)
      else phone.faults.push(new Error(`unknown event: ${event}`))
    }
  } catch {
    // cut off
  }
}
