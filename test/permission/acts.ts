import { must } from '../support/server/server-with-devices.ts'
import { CALLERS, FORBIDDEN, fixture, NUMBER, owner, user } from './callers.ts'
import { makeTexts } from './texts.ts'

// Acts that concern several texts or records at once.

const { url, query } = fixture
const tokenOf = (name: string) => CALLERS.find((one) => one.name === name)!.token!
const askAs = async (
  token: string,
  method: string,
  path: string,
  body: object = {},
  headers: object = {},
) => {
  const json = { authorization: token, 'content-type': 'application/json', ...headers }
  const answer = await fetch(url + path, { method, headers: json, body: JSON.stringify(body) })
  return {
    status: answer.status,
    body: (await answer.json().catch(() => ({}))) as { readonly id?: string },
  }
}

/** Cancels a batch of 1,001 texts, the last of which the key may not cancel. */
export async function cancelLargeBatch() {
  const { id: author, key } = await must(owner, 'POST', '/api/collections/api_keys/records', {
    user,
    name: 'Cancels',
    scopes: ['messages:cancel'],
    destinations: '+49',
  })
  const { ids, batch } = await makeTexts({ count: 1_001, author })
  await query('update sms_messages set "to" = $2 where id = $1', [ids.toSorted().at(-1), FORBIDDEN])
  const { status } = await askAs(
    '',
    'POST',
    `/api/sms/batches/${batch}/cancel`,
    {},
    { 'x-api-key': key },
  )
  const waiting = await query(
    `select from sms_messages where batch_id = $1 and status = 'pending'`,
    [batch],
  )
  return { status, waiting: waiting.length }
}

/** Pauses a campaign while the audit log takes no row. */
export async function pauseWithoutAudit() {
  const { campaign } = await makeTexts({ isOfCampaign: true })
  await query(
    `create function refuse_audit() returns trigger language plpgsql as $$ begin raise 'full'; end $$`,
  )
  await query(`create trigger refuse_audit before insert on account_audit for each row
    when (new.record = '${campaign}') execute function refuse_audit()`)
  const { status } = await askAs(tokenOf('admin'), 'POST', `/api/campaigns/${campaign}/pause`)
  const [[state]] = (await query('select status from campaigns where id = $1', [campaign])) as [
    [string],
  ]
  return { status, state }
}

/** Sends with an idempotency key that a campaign's texts could have, then changes the campaign. */
export async function takeKeyOfCampaign() {
  const sale = {
    recipients: [NUMBER],
    name: 'Sale',
    body: 'Sale',
    scheduled_at: '2090-01-01T00:00:00Z',
  }
  const { body: made } = await askAs(tokenOf('admin'), 'POST', '/api/campaigns', sale)
  const header = { 'idempotency-key': `campaign:${made.id}:2:0` }
  await askAs(
    tokenOf('agent'),
    'POST',
    '/api/sms/send',
    { recipients: [NUMBER], body: 'Hi' },
    header,
  )
  await askAs(tokenOf('admin'), 'PATCH', `/api/campaigns/${made.id}`, { body: 'Another sale' })
  return (await query('select body from sms_messages where sent_by = $1', [made.id])).flat()
}

const TEMPLATES = '/api/collections/sms_templates/records'

/** What an agent may do to a template before and after an automatic answer says it, and what an admin may. */
export async function changeTemplates() {
  const { id } = await must(owner, 'POST', TEMPLATES, { user, name: 'Hours', body: 'Nine to five' })
  const ask = async (role: string, method: string) =>
    (await askAs(tokenOf(role), method, `${TEMPLATES}/${id}`, { body: 'Ten to six' })).status
  const before = await ask('agent', 'PATCH')
  const answer = {
    user,
    name: 'Hours',
    match: 'words',
    value: 'hours',
    template: id,
    enabled: true,
  }
  await must(owner, 'POST', '/api/collections/auto_answers/records', answer)
  const after = [await ask('agent', 'PATCH'), await ask('agent', 'DELETE')]
  return { before, after, byAdmin: [await ask('admin', 'PATCH'), await ask('admin', 'DELETE')] }
}

/** The callers who add an entry of consent for a number. */
export async function whoAddsConsent() {
  const added: string[] = []
  for (const { name, token = '', key } of CALLERS) {
    const entry = { user, number: '+4915166666666', event: 'opt_in', shown: 'Yes', said: name }
    await askAs(
      token,
      'POST',
      '/api/collections/consents/records',
      entry,
      key ? { 'x-api-key': key } : {},
    )
    if (
      (await query('select from consents where "user" = $1 and said = $2', [user, name])).length > 0
    )
      added.push(name)
  }
  return added
}
