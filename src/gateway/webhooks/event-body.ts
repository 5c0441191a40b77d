import type { Collection } from '../../engine/collections/collection.ts'
import type { Value } from '../../engine/fields/field.ts'
import { makeBlankValues } from '../../engine/records/prepare.ts'
import { type RecordRow, toRow } from '../../engine/records/record-row.ts'
import { renderRecord } from '../../engine/records/render.ts'
import { DELAYS_SECONDS, MAX_RETRY_AFTER_SECONDS } from './compute-retry-delay.ts'

/** How long links to an event's files are valid: 10 days, longer than all attempts if each is delayed. */
export const LINK_SECONDS = (DELAYS_SECONDS.length + 1) * MAX_RETRY_AFTER_SECONDS

/** A sample event with all fields of a message, some of them empty, and a file, to check templates. */
export function makeSampleEvent(messages: Collection, message: Readonly<Record<string, Value>>) {
  const row = toRow(messages, {
    ...makeBlankValues(messages),
    ...message,
    message_type: 'incoming',
  })
  const file = { name: 'a.jpg', type: 'image/jpeg', size: 1, url: 'https://example.com/a.jpg' }
  return {
    id: 'sample',
    body: makeEventBody('message.received', new Date(), renderEventMessage(messages, row), [file]),
  }
}

/** JSON of a message, as its owner sees it in the record API. */
export const renderEventMessage = (messages: Collection, row: RecordRow): string =>
  renderRecord(messages, row, { showsHidden: false, showsEmail: false })

/** The body of a delivery. `data`: JSON. */
export function makeEventBody(event: string, at: Date, data: string, files: readonly object[]) {
  const more = files.length > 0 ? `,"files":${JSON.stringify(files)}` : ''
  return `{"type":${JSON.stringify(event)},"timestamp":"${at.toISOString()}","data":${data}${more}}`
}
