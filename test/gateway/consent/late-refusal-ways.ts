import { must } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'
import type { Cell } from './late-refusal-reasons.ts'

interface Way {
  /** The files with the statements by which the text goes on. */
  readonly by: readonly string[]
  readonly isOfCampaign?: true
  /** A failed text is sent again: by a new one, or not at all. */
  readonly isSentAnew?: true
  /** The `error_message`, if it is not the reason's. */
  readonly error?: string
  /** Makes a text wait. `spent`: what it costs if it is refused; `goOn`: what happens to it afterwards. */
  reach(cell: Cell): Promise<{ readonly spent: number; goOn(): Promise<unknown> }>
}

const LATER = () => new Date(Date.now() + 86_400_000).toISOString()
const STORE = 'sms_store.sql'
const CLAIM = 'sms_claim.sql'

const send = async ({ sender, terms }: Cell, more: object = {}) =>
  (await must(sender, 'POST', '/api/sms/send-template', { recipients: [], ...terms, ...more })) as {
    message_ids: [string]
    batch_id: string
  }
const change = (set: string, { server, ann }: Cell) =>
  server.query(`update sms_dispatch set ${set} where "user" = $1`, [ann.id])
const claim = async ({ phone, other }: Cell) => {
  for (const device of [phone, other])
    for (const item of (await must(device, 'POST', '/api/devices/claim', {})).items)
      return { device, item }
  throw new Error('There is no text')
}
async function report(cell: Cell, how: object) {
  const { device, item } = await claim(cell)
  const it = {
    id: item.id,
    attempt: item.attempt,
    status: 'failed',
    error_message: 'No signal',
    ...how,
  }
  return () => must(device, 'POST', '/api/devices/report', { items: [it] })
}

async function sendCampaign(cell: Cell, more: object) {
  const { server, ann, terms, number } = cell
  const { id } = await must(ann, 'POST', '/api/campaigns', { ...terms, recipients: [], ...more })
  await until('the campaign is stored', async () => {
    const [[found]] = (await server.query('select count(*) from sms_messages where "to" = $1', [
      number,
    ])) as [[number]]
    const [[settled]] = (await server.query('select settled from campaigns where id = $1', [
      id,
    ])) as [[boolean]]
    return settled && Number(found) > 0
  })
  return String(id)
}

/** A campaign of which the text has failed. */
async function failCampaign(cell: Cell) {
  const id = await sendCampaign(cell, { hold_seconds: 0 })
  await change('due_at = now()', cell)
  await until('the text is due', async () => {
    const [[state]] = (await cell.server.query('select state from sms_dispatch where "user" = $1', [
      cell.ann.id,
    ])) as [[string]]
    return state === 'assigned'
  })
  await (await report(cell, {}))()
  await cell.server.query(`update campaigns set status = 'done', settled = true where id = $1`, [
    id,
  ])
  return id
}

const textTo = async ({ server, number }: Cell) => {
  const [[id]] = (await server.query(
    'select id from sms_messages where "to" = $1 order by _rowid limit 1',
    [number],
  )) as [[string]]
  return id
}
const retryText = async (cell: Cell) =>
  cell.sender.call('POST', `/api/sms/messages/${await textTo(cell)}/retry`)
const remove = (cell: Cell, collection: string, id: string) =>
  must(cell.ann, 'DELETE', `/api/collections/${collection}/records/${id}`)
const patch = (cell: Cell, collection: string, id: string, values: object) =>
  must(cell.ann, 'PATCH', `/api/collections/${collection}/records/${id}`, values)

/** A text that waits as SQL says, and is due when the reason is there. */
const waits = (set: string, by: readonly string[]): Way => ({
  by,
  async reach(cell) {
    await send(cell)
    await change(set, cell)
    return { spent: 0, goOn: () => change('due_at = now()', cell) }
  },
})

export const WAYS: Readonly<Record<string, Way>> = {
  'sent at once': {
    by: [STORE, CLAIM],
    async reach(cell) {
      await send(cell)
      return { spent: 0, goOn: async () => {} }
    },
  },
  scheduled: {
    by: ['sms_release.sql'],
    async reach(cell) {
      await send(cell, { scheduled_at: LATER() })
      return { spent: 0, goOn: () => change('due_at = now()', cell) }
    },
  },
  'moved to now': {
    by: ['sms_change.sql'],
    async reach(cell) {
      const { message_ids } = await send(cell, { scheduled_at: LATER() })
      const body = { scheduled_at: new Date().toISOString() }
      return {
        spent: 0,
        async goOn() {
          // refused if the new destinations forbid it
          await cell.sender.call('PATCH', `/api/sms/messages/${message_ids[0]}`, body)
          await change('due_at = now()', cell)
        },
      }
    },
  },
  'waiting for room': waits(
    `state = 'pending', waiting_for = 'room', due_at = now() + interval '1 day', device = '', line = ''`,
    ['sms_line_refund.sql', 'sms_look_for_room.sql'],
  ),
  'waiting for the end of quiet hours': waits(
    `state = 'pending', waiting_for = 'quiet_hours', due_at = now() + interval '1 day', device = '', line = ''`,
    ['user-settings-extension.ts'],
  ),
  'taken from its line': {
    by: ['sms_take_back.sql'],
    async reach(cell) {
      await send(cell)
      return { spent: 0, goOn: () => change(`device = '', line = ''`, cell) }
    },
  },
  'given back': {
    by: ['sms_reassign.sql'],
    async reach(cell) {
      await send(cell)
      return { spent: 0, goOn: await report(cell, { not_sent: true }) }
    },
  },
  'claimed until its lease ended': {
    by: ['sms_reassign.sql'],
    error: 'Outcome unknown: the device went silent',
    async reach(cell) {
      await send(cell, { guarantee: 'at_least_once' })
      await claim(cell)
      return { spent: 1, goOn: () => change(`lease_until = now() - interval '1 second'`, cell) }
    },
  },
  'reassigned from a device that is disabled': {
    by: ['sms_reassign.sql'],
    async reach(cell) {
      await send(cell)
      const off = `update devices set enabled = false where id in (select device from sms_dispatch where "user" = $1)`
      return { spent: 0, goOn: () => cell.server.query(off, [cell.ann.id]) }
    },
  },
  'of a campaign that waits': {
    by: ['sms_release.sql'],
    isOfCampaign: true,
    async reach(cell) {
      await sendCampaign(cell, { scheduled_at: LATER() })
      return { spent: 0, goOn: () => change('due_at = now()', cell) }
    },
  },
  'of a campaign that was paused': {
    by: ['sms_hold.sql', 'sms_release_held.sql'],
    isOfCampaign: true,
    async reach(cell) {
      const id = await sendCampaign(cell, { scheduled_at: LATER() })
      await must(cell.ann, 'POST', `/api/campaigns/${id}/pause`)
      return {
        spent: 0,
        async goOn() {
          await cell.ann.call('POST', `/api/campaigns/${id}/resume`)
          await until('it has resumed', async () => {
            const [[settled]] = (await cell.server.query(
              'select settled from campaigns where id = $1',
              [id],
            )) as [[boolean]]
            return settled
          })
          await change('due_at = now()', cell)
        },
      }
    },
  },
  'sent again as a text': {
    by: [STORE],
    isSentAnew: true,
    async reach(cell) {
      await send(cell)
      await (await report(cell, {}))()
      return { spent: 1, goOn: () => retryText(cell) }
    },
  },
  'sent again as a batch': {
    by: [STORE],
    isSentAnew: true,
    async reach(cell) {
      await send(cell)
      await (await report(cell, {}))()
      await cell.server.query('update sms_messages set batch_id = $1 where id = $1', [
        await textTo(cell),
      ])
      return {
        spent: 1,
        goOn: async () =>
          cell.sender.call('POST', `/api/sms/batches/${await textTo(cell)}/retry`, {}),
      }
    },
  },
  'sent again as a campaign': {
    by: [STORE],
    isOfCampaign: true,
    isSentAnew: true,
    async reach(cell) {
      const id = await failCampaign(cell)
      return { spent: 1, goOn: () => cell.ann.call('POST', `/api/campaigns/${id}/retry`, {}) }
    },
  },
  'of a campaign, template and group that were deleted': {
    by: [STORE],
    isOfCampaign: true,
    isSentAnew: true,
    async reach(cell) {
      const id = await failCampaign(cell)
      return {
        spent: 1,
        async goOn() {
          await remove(cell, 'campaigns', id)
          await remove(cell, 'sms_templates', cell.template)
          await remove(cell, 'contact_groups', cell.group)
          await retryText(cell)
        },
      }
    },
  },
  'of a template and a group that were deleted while it waits': {
    by: [STORE],
    async reach(cell) {
      await send(cell)
      return {
        spent: 0,
        async goOn() {
          await remove(cell, 'sms_templates', cell.template)
          await remove(cell, 'contact_groups', cell.group)
        },
      }
    },
  },
  'of a template and a group that were changed': {
    by: [STORE],
    async reach(cell) {
      await send(cell)
      return {
        spent: 0,
        async goOn() {
          await patch(cell, 'sms_templates', cell.template, { body: 'Other' })
          await patch(cell, 'contact_groups', cell.group, { name: 'Other' })
        },
      }
    },
  },
}
