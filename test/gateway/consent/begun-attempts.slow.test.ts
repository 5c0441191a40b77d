import { openAttemptJournal } from '../../../src/gateway/carriers/carrier-attempt-journal.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { type Cell, makeCell, REASONS } from './late-refusal-reasons.ts'

// A text that a server has fetched for a carrier: the server asks before each request whether it may leave.

const server = await startServerWithDevices()

test.concurrent.each(Object.entries(REASONS))(
  'a text that a server holds for a carrier does not leave any more after %s',
  async (_, reason) => {
    const cell = await makeCell(server, reason)
    const { ann, sender, phone, other, number, terms } = cell
    // the phone named in the request, as a carrier is
    await must(sender, 'POST', '/api/sms/send-template', {
      recipients: [number],
      ...terms,
      group_ids: terms.group_ids,
      device_id: phone.id,
    })
    const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 9 })
    const { id, attempt } = items.find(({ to }: { to: string }) => to === number)
    const journal = await openAttemptJournal(
      server.server.services.store.forUser(ann.id).db,
      phone.id,
    )
    expect(await journal.begin(id, attempt)).toBe('here')
    await reason.apply(cell)
    expect(await journal.begin(id, attempt)).toBe('withdrawn')
    expect((await must(other, 'POST', '/api/devices/claim', { limit: 9 })).items).toEqual([])
    const report = { id, attempt, status: 'failed', not_sent: true }
    await must(phone, 'POST', '/api/devices/report', { items: [report] })
    expect(await must(ann, 'GET', `/api/collections/sms_messages/records/${id}`)).toMatchObject({
      status: 'failed',
      error_message: reason.error,
    })
    expect((await must(ann, 'GET', '/api/sms/usage')).used).toBe(0)
  },
)

const EVENTS: Readonly<Record<string, (cell: Cell, id: string) => Promise<unknown>>> = {
  'its cancellation': ({ ann }, id) => ann.call('POST', `/api/sms/messages/${id}/cancel`, {}),
  'the deletion of its record': ({ ann }, id) =>
    must(ann, 'DELETE', `/api/collections/sms_messages/records/${id}`),
  'a status that a superuser sets': (_, id) =>
    must(server.superuser, 'PATCH', `/api/collections/sms_messages/records/${id}`, {
      status: 'failed',
    }),
  'its expiry': (_, id) =>
    server.query(
      `update sms_dispatch set expires_at = now() - interval '1 second' where message = $1`,
      [id],
    ),
  'the end of its lease': (_, id) =>
    server.query(
      `update sms_dispatch set lease_until = now() - interval '1 second' where message = $1`,
      [id],
    ),
  'its carrier is disabled': ({ ann, phone }) =>
    must(ann, 'PATCH', `/api/collections/devices/records/${phone.id}`, { enabled: false }),
  'its carrier is deleted': ({ ann, phone }) =>
    must(ann, 'DELETE', `/api/collections/devices/records/${phone.id}`),
  'its account is disabled': ({ ann }) =>
    server.query(`update user_settings set disabled = true where "user" = $1`, [ann.id]),
  'its account is deleted': ({ ann }) =>
    must(server.superuser, 'DELETE', `/api/collections/users/records/${ann.id}`),
}

test.concurrent.each(Object.entries(EVENTS))(
  'a text that a server holds for a carrier does not leave any more after this event: %s',
  async (_, happen) => {
    const cell = await makeCell(server, REASONS['a STOP']!)
    const { ann, phone, number } = cell
    await must(ann, 'POST', '/api/sms/send', {
      recipients: [number],
      body: 'Sale',
      device_id: phone.id,
    })
    const [{ id, attempt }] = (await must(phone, 'POST', '/api/devices/claim', {})).items
    const journal = await openAttemptJournal(
      server.server.services.store.forUser(ann.id).db,
      phone.id,
    )
    expect(await journal.begin(id, attempt)).toBe('here')
    await happen(cell, id)
    expect(await journal.begin(id, attempt)).toBe('withdrawn')
  },
)
