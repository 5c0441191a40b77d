import { readClaims } from '../../src/engine/auth/tokens.ts'
import { toTexts } from '../../src/engine/fields/convert-values.ts'
import { isEmail } from '../../src/engine/fields/email.ts'
import { isUniqueJson, minifyJson } from '../../src/engine/fields/json-text.ts'
import { parseDate } from '../../src/engine/fields/parse-date.ts'
import { findPatternError, generateText } from '../../src/engine/fields/regex-patterns.ts'
import { isUrl } from '../../src/engine/fields/url.ts'
import { sniffContentType } from '../../src/engine/files/sniff-content-type.ts'
import { readSort } from '../../src/engine/filter/build-sort.ts'
import { parseFilter } from '../../src/engine/filter/parse-filter.ts'
import { makeExcerpt } from '../../src/engine/records/excerpt.ts'
import { pickFields } from '../../src/engine/records/pick.ts'
import { parseCron } from '../../src/engine/settings/cron.ts'
import { hideCode } from '../../src/gateway/hooks/compose-hook-text.ts'
import { cutToParts } from '../../src/gateway/hooks/cut-text-to-parts.ts'
import { fillTemplates } from '../../src/gateway/webhooks/fill-templates.ts'
import { maskAnswer } from '../../src/gateway/webhooks/mask-answer.ts'
import { makeSignatureHeaders } from '../../src/gateway/webhooks/sign-webhook.ts'
import { toNetwork } from '../../src/platform/limits/limit-holder.ts'
import { parseTemplate } from '../../src/platform/templates/parse.ts'
import { renderTemplate } from '../../src/platform/templates/render.ts'
import { decodeForm, decodeText, readCharset } from '../../src/platform/tools/charsets.ts'
import { maskSecrets } from '../../src/platform/tools/mask-secrets.ts'
import { splitTokens } from '../../src/platform/tools/tokenize.ts'
import { foldText, isInvisible } from '../../src/portable/fold-text.ts'
import { ALL_LANGUAGES } from '../../src/portable/opt-words-by-language.ts'
import { readPhone } from '../../src/portable/phone/read-phone.ts'
import { readTypedPhone } from '../../src/portable/phone/read-typed-phone.ts'
import { splitAtSpaces } from '../../src/portable/phone/split-spaced-list.ts'
import { readOptWord } from '../../src/portable/read-opt-word.ts'
import { countSegments } from '../../src/portable/segments.ts'
import { replaceIfShorter } from '../../src/portable/smart-encoding.ts'
import {
  fillVariables,
  parseTextTemplate as readTemplate,
  renderForPerson,
} from '../../src/portable/text-template.ts'
import { readMailApart } from '../../src/protocols/smtp/read-mail-in-thread.ts'
import { parseRecipient } from '../../src/protocols/smtp/recipient.ts'
import { readTwimlAnswer } from '../../src/protocols/twilio/twiml.ts'

/** A parser that reads text of others on the event loop. */
export interface Parser {
  readonly name: string
  /** Its file below `src`. */
  readonly file: string
  /** Maximum characters that its callers let through; bytes of a body, at most 2 MiB. */
  readonly most: number
  /** What comes before and after a text that the search makes. */
  readonly around?: readonly [before: string, after: string]
  readonly read: (text: string) => unknown
}

const KIBI = 1 << 10
const MEBI = 1 << 20
const WORLD = { bare: 'world' } as const
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const EVENT = {
  id: 'a',
  body: JSON.stringify({ type: 'message.sent', data: { message_type: 'outgoing', body: 'Hi' } }),
}
const WEBHOOK = {
  preset: '',
  url: 'https://example.com',
  method: '',
  headers: null,
  target: '',
  token: '',
}
/** Forms of a request's head are shorter than this. */
const HEAD = 16 * KIBI
const BODY = 2 * MEBI
/** What a message may have: 1,600 code points. */
const TEXT = 3_200

/** Parsers that the doors' rig does not reach, or not with all that the search makes. */
export const PARSERS: readonly Parser[] = [
  {
    name: 'a phone number',
    file: 'portable/phone/read-phone.ts',
    most: BODY,
    read: (text) => readPhone(text, 'DE', WORLD),
  },
  {
    name: 'a typed number',
    file: 'portable/phone/read-typed-phone.ts',
    most: BODY,
    read: (text) => readTypedPhone(text, 'DE'),
  },
  {
    name: 'numbers with spaces between',
    file: 'portable/phone/split-spaced-list.ts',
    most: HEAD,
    read: (text) => splitAtSpaces(text, 'DE', WORLD),
  },
  { name: 'segments', file: 'portable/segments.ts', most: 39_015, read: countSegments },
  {
    name: 'smart encoding',
    file: 'portable/smart-encoding.ts',
    most: TEXT,
    read: (text) => replaceIfShorter(text, 1_600),
  },
  {
    name: 'an opt-out word',
    file: 'portable/read-opt-word.ts',
    most: 39_015,
    read: (text) => readOptWord({ body: text, subject: text.slice(0, 255) }, ALL_LANGUAGES),
  },
  {
    name: 'a received text, folded',
    file: 'portable/fold-text.ts',
    most: 39_015,
    read: foldText,
  },
  {
    name: 'a text, whether it can be seen',
    file: 'gateway/base/body-schemas.ts',
    most: BODY,
    read: isInvisible,
  },
  {
    name: 'a template of texts, for 20 people',
    file: 'portable/text-template.ts',
    most: 1_600,
    read: (text) => {
      const filled = fillVariables(readTemplate(text), { a: '' })
      for (let i = 0; i < 20; i++)
        renderForPerson(filled, { name: 'Ann', phone: '+49' }, (name) => name)
    },
  },
  {
    name: 'a template of hooks',
    file: 'platform/templates/parse.ts',
    most: 2_000,
    read: parseTemplate,
  },
  {
    name: 'a template of hooks, rendered',
    file: 'platform/templates/render.ts',
    most: 2_000,
    read: (text) => renderTemplate(text, { a: Array(9_000).fill('b') }, TEXT),
  },
  {
    name: 'a template of webhooks',
    file: 'gateway/webhooks/fill-templates.ts',
    most: 2_000,
    read: (text) => fillTemplates({ ...WEBHOOK, body: JSON.stringify({ text }) }, EVENT),
  },
  {
    name: 'a text for some segments',
    file: 'gateway/hooks/cut-text-to-parts.ts',
    most: 20 * KIBI,
    read: (text) => cutToParts({ text, ends: [], rest: 0 }, 10),
  },
  {
    name: 'a text with a code',
    file: 'gateway/hooks/compose-hook-text.ts',
    most: TEXT,
    read: (text) => hideCode(text, ''),
  },
  {
    name: 'an answer that quotes secrets',
    file: 'platform/tools/mask-secrets.ts',
    most: KIBI,
    read: (text) => maskSecrets(text, ['123456', '\\\\\\\\\\\\a', 'secret-token']),
  },
  {
    name: 'a secret that an answer quotes',
    file: 'platform/tools/mask-secrets.ts',
    most: KIBI,
    read: (text) => maskSecrets('\\'.repeat(KIBI), [text]),
  },
  {
    name: 'an answer of a webhook',
    file: 'gateway/webhooks/mask-answer.ts',
    most: KIBI,
    read: (text) => maskAnswer(Buffer.from(text), 'https://a:b@c.d', ['secret']),
  },
  {
    name: 'a signed body',
    file: 'gateway/webhooks/sign-webhook.ts',
    most: BODY,
    read: (body) => makeSignatureHeaders({ id: 'a', at: new Date(0), body }, [SECRET]),
  },
  {
    name: 'TwiML',
    file: 'protocols/twilio/twiml.ts',
    most: 64 * KIBI,
    around: ['<Response><Message>', ''],
    read: (text) =>
      readTwimlAnswer({ 'content-type': 'text/xml' }, Buffer.from(text).subarray(0, 64 * KIBI)),
  },
  {
    name: 'a mail',
    file: 'protocols/smtp/read-mail-in-thread.ts',
    most: BODY - 100,
    around: ['Subject: a\r\nContent-Type: text/plain; format=flowed; delsp=yes\r\n\r\n', ''],
    read: (text) => readMailApart(Buffer.from(text)),
  },
  {
    name: "a mail's address",
    file: 'protocols/smtp/recipient.ts',
    most: KIBI,
    read: parseRecipient,
  },
  {
    name: 'a form',
    file: 'platform/tools/charsets.ts',
    most: BODY,
    read: (text) => decodeForm(Buffer.from(text), '', 1_000),
  },
  {
    name: 'a form of a door',
    file: 'platform/tools/charsets.ts',
    most: 64 * KIBI,
    read: (text) => decodeForm(Buffer.from(text)),
  },
  {
    name: 'UTF-16',
    file: 'platform/tools/charsets.ts',
    most: MEBI,
    read: (text) => decodeText(Buffer.from(text, 'utf16le'), 'utf-16le'),
  },
  { name: 'a media type', file: 'platform/tools/charsets.ts', most: HEAD, read: readCharset },
  { name: 'a token', file: 'engine/auth/tokens.ts', most: HEAD, read: readClaims },
  {
    name: 'an address of a client',
    file: 'platform/limits/limit-holder.ts',
    most: HEAD,
    read: toNetwork,
  },
  { name: 'a filter', file: 'engine/filter/parse-filter.ts', most: 3_500, read: parseFilter },
  { name: 'a sort', file: 'engine/filter/build-sort.ts', most: HEAD, read: readSort },
  {
    name: 'fields',
    file: 'engine/records/pick.ts',
    most: HEAD,
    read: (text) => pickFields('{"a":{"b":1}}', text),
  },
  {
    name: 'HTML of an excerpt',
    file: 'engine/records/excerpt.ts',
    most: BODY,
    read: (text) => makeExcerpt(text, 1_000, true),
  },
  {
    name: 'quoted lists',
    file: 'platform/tools/tokenize.ts',
    most: HEAD,
    read: (text) => splitTokens(text, ','),
  },
  { name: 'a date', file: 'engine/fields/parse-date.ts', most: BODY, read: parseDate },
  { name: 'an email', file: 'engine/fields/email.ts', most: 5_000, read: isEmail },
  { name: 'a URL', file: 'engine/fields/url.ts', most: BODY, read: isUrl },
  { name: 'a list in a text', file: 'engine/fields/convert-values.ts', most: BODY, read: toTexts },
  {
    name: 'a JSON field',
    file: 'engine/fields/json-text.ts',
    most: MEBI,
    around: ['["', '"]'],
    read: (text) => isUniqueJson(text) && minifyJson(text),
  },
  {
    name: 'a pattern',
    file: 'engine/fields/regex-patterns.ts',
    most: 5_000,
    read: (text) => findPatternError(text) ?? generateText(text),
  },
  { name: 'a cron expression', file: 'engine/settings/cron.ts', most: 100, read: parseCron },
  {
    name: 'a file, by its beginning',
    file: 'engine/files/detect-text-kind.ts',
    most: BODY,
    read: (text) => sniffContentType(Buffer.from(text)),
  },
  {
    name: 'a binary file, by its beginning',
    file: 'engine/files/sniff-content-type.ts',
    most: BODY,
    read: (text) => sniffContentType(Buffer.from(`\0${text}`)),
  },
]
