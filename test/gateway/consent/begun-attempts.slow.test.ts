import { openAttemptJournal } from '../../../src/gateway/carriers/carrier-attempt-journal.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { makeCell, REASONS } from './still-go/reasons.ts'

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
