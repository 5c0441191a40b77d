import { must } from '../support/server/server-with-devices.ts'
import { type RequestOutcome, type SentRequest, startRequestFixture } from './request-fixture.ts'
import { runPayloads } from './run-payloads.ts'

// The requests of programs that no test runs, by the settings of their pages in docs/recipes/programs.

interface Sent extends SentRequest {
  /** Fields of the hook of the page. */
  readonly hook?: object
}

const { server, user, send } = await startRequestFixture()
const RECORDS = '/api/collections/hooks/records'

runPayloads<Sent, RequestOutcome>(
  'programs',
  ['automation', 'business', 'monitoring', 'sign-in'],
  async (_, { hook, ...sent }) => {
    if (!hook) return send(sent)
    await server.query(`delete from auth_tries where key like 'code %'`)
    const fields = { user: user.id, name: 'Tool', max_parts: 10, ...hook }
    const { id, secret } = await must(user, 'POST', RECORDS, fields)
    const outcome = await send(sent, secret)
    await must(user, 'DELETE', `${RECORDS}/${id}`)
    return outcome
  },
)
