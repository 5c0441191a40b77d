import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { z } from 'zod'
import { toScalarText } from '../../engine/fields/convert-values.ts'
import type { ClientConnection } from '../../engine/realtime/client.ts'
import { readSubscribeForm } from '../../engine/realtime/subscribe-form.ts'
import { readTopic } from '../../engine/realtime/topic.ts'
import { allowByRules, allowEverybody } from '../allow-callers.ts'
import { asRecordCaller, type RecordAttempt } from '../attempt.ts'
import { readBodyOr } from '../body/read-body.ts'
import type { Bound } from '../bounds.ts'
import { makeRoutes } from '../make-routes.ts'
import { SERVER_TAG } from '../openapi/describe-operations.ts'
import { describeTextAnswer } from '../openapi/success-answers.ts'
import { readQuery } from '../query.ts'
import type { Ctx } from '../request-context.ts'
import { MAX_BODY_BYTES } from '../route-limits.ts'
import type { RequestBody } from '../served-request.ts'
import { limitOpenStreams } from '../server/limit-streams.ts'

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // without this header, nginx would buffer events
  'x-accel-buffering': 'no',
}

const SUBSCRIPTION = z
  .object({
    clientId: z.string().max(255).describe('Out of the first event of the stream, `PB_CONNECT`.'),
    subscriptions: z
      .array(z.string())
      .describe(
        'Topics such as `sms_messages/*` or `contacts/ID`; they replace the previous ones. An empty list ends all.',
      ),
  })
  .meta({ id: 'Subscription' })

const OF_SUBSCRIPTIONS: Bound = {
  cost: 'subscriptions',
  by: '1,000 topics a request; turns for statements of filters and expands ([Realtime](realtime.md))',
}

/** `/api/realtime`: an event stream and its subscriptions. PocketBase: apis/realtime.go, contract 7.1 */
export const REALTIME_ROUTES = makeRoutes(SERVER_TAG, {
  'GET /api/realtime': {
    permission: allowEverybody(),
    bound: OF_SUBSCRIPTIONS,
    describe: {
      id: 'listen',
      summary: 'Listen for changes of records',
      description:
        "PocketBase's event stream. The first event, `PB_CONNECT`, has the `clientId`; then come `{action, record}` for each topic subscribed to.",
      fails: [400],
      responses: describeTextAnswer('text/event-stream', 'The stream.'),
    },
    run: async ({ services }, c) => {
      if (c.req.method === 'HEAD') return c.body(null, 200, HEADERS)
      limitOpenStreams(c, services)
      const { outgoing } = c.env
      const gone = new AbortController()
      outgoing.once('close', () => gone.abort())
      const origin = {
        ip: c.env.incoming.ip,
        holder: c.env.incoming.findHolder(null),
      }
      const connection = makeClientConnection(outgoing)
      const end = await services.realtime.connect(origin, connection, gone.signal)
      services.streams.add(outgoing, end)
      return RESPONSE_ALREADY_SENT
    },
  },
  'POST /api/realtime': {
    permission: allowByRules('viewer'),
    maxBytes: MAX_BODY_BYTES,
    bound: OF_SUBSCRIPTIONS,
    describe: {
      id: 'subscribe',
      summary: 'Set the topics of a connection',
      description: 'The client gets changes of records that its rules let it see.',
      body: [SUBSCRIPTION, { clientId: 'a1b2c3', subscriptions: ['sms_messages/*'] }],
      answer: ['Subscribed.'],
      fails: [400, 404, 413],
    },
    run: async ({ services }, c) => {
      const { values, isJson } = await readSubscriptionBody(c)
      const { clientId, subscriptions } = readSubscribeForm(values, isJson)
      const topics = subscriptions.filter((name) => name !== '').map(toTopic)
      const ip = c.env.incoming.ip
      const subscribe = async ({ caller: auth }: RecordAttempt) => {
        const holder = c.env.incoming.findHolder(auth)
        return services.realtime.subscribe(holder, { clientId, ip, auth, topics })
      }
      await asRecordCaller(c, services, 'write', subscribe)
    },
  },
})

function makeClientConnection(outgoing: ServerResponse): ClientConnection {
  return {
    write(text, taken) {
      if (!outgoing.headersSent) outgoing.writeHead(200, HEADERS)
      outgoing.write(text, taken)
    },
    end: () => void outgoing.end(),
    cut: () => void outgoing.destroy(),
  }
}

async function readSubscriptionBody(c: Ctx): Promise<RequestBody> {
  const body = await readBodyOr(c)
  if (body.isJson) return body
  const { clientId, subscriptions } = body.values
  const values = {
    clientId: clientId === undefined ? '' : toTextOrValue([clientId].flat()[0]),
    subscriptions: subscriptions === undefined ? [] : [subscriptions].flat().map(toTextOrValue),
  }
  return { ...body, values }
}

/** A number or boolean that was guessed from a form as text again. Other values stay, and are refused. */
const toTextOrValue = (value: unknown): unknown => toScalarText(value) ?? value

const toTopic = (name: string) => readTopic(name, readQuery(name.split('#', 1)[0]!).options)
