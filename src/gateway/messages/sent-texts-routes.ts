import { pickFields } from '../../engine/records/pick.ts'
import { NO_REQUEST } from '../../engine/request/request.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import type { DescribedRecords } from '../../http/openapi/document.ts'
import { FIELDS_ONLY } from '../../http/openapi/record-parameters.ts'
import { makePageSchema } from '../../http/openapi/record-schema.ts'
import type { Ctx } from '../../http/request-context.ts'
import { sendJson } from '../../http/send-answer.ts'
import { checkShape } from '../base/body-schemas.ts'
import { describeRefusals } from '../base/describe-gateway-errors.ts'
import { limitToScopes } from '../base/limit-to-scopes.ts'
import { findSentTexts, SENT_QUERY, viewSentText } from './find-sent-texts.ts'
import { allowReader, type SendingCaller } from './require-sender.ts'

const WHOSE =
  'An API key needs the scope `messages:read`. It reads the texts that it has sent itself; with `messages:list`, as a signed-in user, all outgoing texts of the account.'

/** The store and the request by which the caller reads texts. */
const openForReading = (c: Ctx, caller: SendingCaller) =>
  limitToScopes(caller.store, caller, {
    ...NO_REQUEST,
    auth: caller.auth,
    meter: c.env.incoming.makeMeter(caller.auth),
  })

const findMessageSchema = ({ schemaOf }: DescribedRecords) => schemaOf('sms_messages')!

const OF_BATCH: Bound = {
  cost: 'texts of a batch',
  by: 'turns; 100 ids, or the 20,000 texts of a batch (`MAX_AUDIENCE`), of which 500 are answered',
}

/** `GET /api/sms/messages`: the state of sent texts. */
export const SENT_TEXT_ROUTES = makeRoutes('sending', {
  'GET /api/sms/messages': {
    permission: allowReader('readMessage'),
    bound: OF_BATCH,
    describe: (records) => ({
      id: 'listSentTexts',
      summary: 'Read several texts that you have sent',
      description: `Name them by \`ids\`, \`client_ref\` or \`batch\`. ${WHOSE}`,
      params: { query: SENT_QUERY },
      answer: [
        'The texts, in the order in which they were sent.',
        makePageSchema(findMessageSchema(records), 'SentTexts'),
      ],
      fails: describeRefusals('invalid_request'),
    }),
    run: async (caller, c) => {
      const {
        page = 1,
        perPage = 100,
        fields,
        ...named
      } = checkShape(SENT_QUERY, c.env.incoming.query)
      const place = { page, perPage }
      const [store, request] = openForReading(c, caller)
      const { items, total } = await findSentTexts(store, caller, request, named, place)
      const pages = Math.ceil(total / perPage)
      const text = `{"items":[${items.join(',')}],"page":${page},"perPage":${perPage},"totalItems":${total},"totalPages":${pages}}`
      return fields ? pickFields(text, fields, 'items') : text
    },
  },
  'GET /api/sms/messages/:id': {
    permission: allowReader('readMessage'),
    bound: OF_BATCH,
    describe: (records) => ({
      id: 'readSentText',
      summary: 'Read a text that you have sent, with its status',
      description: WHOSE,
      params: FIELDS_ONLY,
      answer: ['The record of the text.', findMessageSchema(records)],
      fails: describeRefusals('message_not_found'),
    }),
    run: async (caller, c, id) => {
      const [store, request] = openForReading(c, caller)
      return sendJson(c, await viewSentText(store, caller, request, id))
    },
  },
})
