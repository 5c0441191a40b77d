import { type RequestOutcome, type SentRequest, startRequestFixture } from './request-fixture.ts'
import { runPayloads } from './run-payloads.ts'

const { send } = await startRequestFixture()

runPayloads<SentRequest, RequestOutcome>(
  'doors',
  ['kannel', 'mcp', 'sms-gateway', 'smseagle', 'smsgate-api', 'twilio', 'vendel'],
  (_, sent) => send(sent),
)
