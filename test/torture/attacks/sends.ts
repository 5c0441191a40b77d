import { freePort } from '../../support/database/postgres.ts'
import { endlessly, receive } from '../hostile/receivers.ts'
import type { Attack, AttackRun, Prepared, Target } from './attack.ts'
import { asUser, byUser, createRecords, must } from './attack.ts'
import { flood } from './sockets.ts'

// Sends, templates, campaigns, webhooks.

const SEND = '/api/sms/send'
const number = (i: number) => `+4915${1e7 + i}`
const recipients = Array.from({ length: 1_000 }, (_, i) => number(i))

/** Almost as many values as a body may have: with more, it is refused before anything looks at them. */
const list = (item: string) => `[${`${item},`.repeat(45_000)}${item}]`

const WEBHOOKS = 20

/** A user with a device, 1,000 contacts who are opted out, and webhooks at `port`. */
const optedOut = asUser(async (user, target): Promise<Prepared> => {
  await target.addDevice(user)
  await createRecords(target, 'contacts', 1_000, (i) => ({
    user: user.id,
    phone: number(i),
    opted_out: true,
  }))
  const port = await freePort()
  await createRecords(target, 'webhooks', WEBHOOKS, (i) => ({
    user: user.id,
    url: `http://127.0.0.1:${port}/${i}`,
    events: ['message.failed', 'message.sent'],
    enabled: true,
  }))
  return { port: String(port) }
})

const sendAll = (run: AttackRun, connections: number, body: object) =>
  flood(run, connections, () => ({ path: SEND, body: JSON.stringify(body) }))

/** People of the campaign whose text changes all the time. */
const PEOPLE = 100
/** A test is tried again for three days, so that at most these wait. */
const MAX_TESTS = 3

const countOf = async (target: Target, path: string) =>
  Number((await must(target.root, 'GET', `/api/collections/${path}&perPage=1`)).totalItems)

export const sends: readonly Attack[] = [
  byUser('recipients of wrong kinds', { isShort: true }, (run) => {
    const lists = ['1', 'null', '""', '{}', '[]', '"+49"', '1e9', 'true'].map((item) => list(item))
    const bodies = lists.flatMap((all) => [
      `{"body":"a","recipients":${all}}`,
      `{"body":"a","recipients":["+4915110"],"group_ids":${all}}`,
    ])
    return flood(run, 4, (turn) => ({
      path: turn % 3 ? SEND : '/api/sms/preview',
      body: bodies[turn % bodies.length]!,
    }))
  }),
  byUser('opted-out contacts with 20 webhooks', { prepare: optedOut }, async (run) => {
    // half of the calls get no answer, the others one without an end
    receive(run, (request, response) => {
      if (Math.random() < 0.5) endlessly('text/plain', 'x')(request, response)
    })
    await Promise.all([
      sendAll(run, 2, { recipients, body: 'Hi' }),
      sendAll(run, 2, { recipients: recipients.slice(0, 50), body: 'Hi' }),
    ])
  }),
  byUser(
    'sends to 1,000 numbers',
    {
      prepare: asUser(async (user, target) => {
        await target.addDevice(user)
      }),
    },
    (run) => sendAll(run, 4, { recipients, body: 'é'.repeat(1_600) }),
  ),
  byUser('previews of 1,000 long texts', (run) =>
    flood(run, 8, () => ({
      path: '/api/sms/preview',
      body: JSON.stringify({ recipients, body: '€😀'.repeat(533) }),
    })),
  ),
  byUser('templates of hooks over long bodies', (run) => {
    const items = { a: Array(9_900).fill(1), t: 'x'.repeat(100_000) }
    const templates = [
      `{{#each a}}{{#if ../b${'.b'.repeat(950)}}}{{/if}}{{/each}}x`,
      `{{#each a}}${'{{#if @key}}{{/if}}'.repeat(100)}{{/each}}`,
      '{{#each a}}{{#each ../a}}{{/each}}{{/each}}',
      `${'{{#if a}}\n'.repeat(100)}{{t}}${'{{/if}}\n'.repeat(100)}`,
    ]
    return flood(run, 8, (turn) => ({
      path: '/api/hooks/preview',
      body: JSON.stringify({
        hook: {
          preset: 'custom',
          recipients: ['+4915112345678'],
          template: `${templates[turn % 4]}{{! ${turn}}}`,
        },
        body: JSON.stringify(items),
      }),
    }))
  }),
  byUser(
    'templates of many placeholders',
    {
      prepare: asUser(async (user) => {
        const values = { user: user.id, name: 'Many', body: '{{a}}'.repeat(300) }
        const { id } = await must(user, 'POST', '/api/collections/sms_templates/records', values)
        return { template: id }
      }),
    },
    (run) => {
      const variables = Object.fromEntries(
        Array.from({ length: 9_900 }, (_, i) => [`v${i}`, '{{a}}'.repeat(10)]),
      )
      const body = {
        recipients,
        template_id: run.prepared.template,
        variables: { ...variables, a: '{{a}}'.repeat(400) },
      }
      const text = JSON.stringify(body)
      return flood(run, 8, (turn) => ({
        path: turn % 2 ? '/api/sms/preview' : '/api/sms/send-template',
        body: text,
      }))
    },
  ),
  byUser('templates and contacts written in batches', (run) => {
    const requests = Array.from({ length: 50 }, (_, i) => ({
      method: 'POST',
      url: `/api/collections/${i % 2 ? 'contacts' : 'sms_templates'}/records`,
      body: {
        user: run.prepared.id,
        name: '{{'.repeat(100),
        body: '{{'.repeat(700),
        phone: number(i),
      },
    }))
    const body = JSON.stringify({ requests })
    return flood(run, 8, () => ({ path: '/api/batch', body }))
  }),
  byUser(
    'a campaign whose text changes all the time',
    {
      isShort: true,
      prepare: asUser(async (user, target) => {
        await target.addDevice(user)
        const scheduled_at = new Date(Date.now() + 86_400_000).toISOString()
        const body = { body: 'Attacked 0', recipients: recipients.slice(0, PEOPLE), scheduled_at }
        return { campaign: (await must(user, 'POST', '/api/campaigns', body)).id }
      }),
      async inspect(target) {
        const stored = await countOf(
          target,
          `sms_messages/records?filter=${encodeURIComponent('body ~ "Attacked"')}`,
        )
        // the last text, and the one before if its deletion is under way
        if (stored > 2 * PEOPLE)
          throw new Error(`${stored} messages are stored of a campaign to ${PEOPLE}`)
        return `${stored} messages stored`
      },
    },
    (run) =>
      flood(run, 8, (turn) => ({
        method: 'PATCH',
        path: `/api/campaigns/${run.prepared.campaign}`,
        body: JSON.stringify({ body: `Attacked ${turn}` }),
      })),
  ),
  byUser(
    'tests of a webhook that nobody answers',
    {
      prepare: asUser(async (user) => {
        const values = {
          user: user.id,
          url: 'http://127.0.0.1:1',
          events: ['message.sent'],
          enabled: true,
        }
        return {
          webhook: (await must(user, 'POST', '/api/collections/webhooks/records', values)).id,
        }
      }),
      async inspect(target) {
        const filter = encodeURIComponent('event = "webhook.test" && status = "pending"')
        const waiting = await countOf(target, `webhook_deliveries/records?filter=${filter}`)
        if (waiting > MAX_TESTS) throw new Error(`${waiting} tests wait`)
        return `${waiting} tests wait`
      },
    },
    (run) =>
      flood(run, 8, () => ({
        method: 'POST',
        path: `/api/webhooks/${run.prepared.webhook}/test`,
      })),
  ),
]
