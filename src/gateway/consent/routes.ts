import { getCookie } from 'hono/cookie'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { makeObjectShape, text, type ValueOf } from '../../engine/fields/json-shapes.ts'
import { allowEverybody, type HasServices } from '../../http/allow-callers.ts'
import { readForm } from '../../http/body/form.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { identifyKnownCaller } from '../../http/middleware/limit-requests.ts'
import { SERVER_TAG } from '../../http/openapi/describe-operations.ts'
import type { Ctx, ErrorForm, Services } from '../../http/request-context.ts'
import { notFound } from '../../platform/api-errors.ts'
import { isCountry } from '../../portable/phone/numbering-plans.ts'
import { readTypedPhone } from '../../portable/phone/read-typed-phone.ts'
import { readTypedCode } from '../../portable/typed-code.ts'
import { describeFormBody, describePageAnswers, JOIN, LEAVE } from './describe-consent-pages.ts'
import { confirmCode } from './pages/confirm-code.ts'
import { isOfOtherSite } from './pages/detect-other-site.ts'
import { endConsent } from './pages/end-consent.ts'
import { renderAskedPage, renderJoinedPage } from './pages/enter-code-page.ts'
import { joinForm, type Typed } from './pages/join-form.ts'
import { findJoinPage, type JoinPage } from './pages/join-page.ts'
import { findLeavePage, type LeavePage, leaveForm, renderLeftPage } from './pages/leave-page.ts'
import { describePageFault } from './pages/page-errors.ts'
import { type HtmlPage, html, renderHtmlPage, escapeText as words } from './pages/page-html.ts'
import { fillPageWords, type PageWord } from './pages/page-words.ts'
import { askToJoin } from './pages/send-join-question.ts'

const MAX_FORM_BYTES = 16 << 10

/** The fields of all forms of a join page. `to`: the number that got the code. */
const JOIN_FORM = makeObjectShape({
  country: text,
  number: text,
  agree: text,
  version: text,
  to: text,
  code: text,
})
type JoinForm = ValueOf<typeof JOIN_FORM>

/** The form of a leave page. `group`: the id of a group to leave; '' for all texts. */
const LEAVE_FORM = makeObjectShape({ group: text })

async function endTexts({ services }: HasServices, c: Ctx, token: string): Promise<Response> {
  const shown = await requireLeavePage(c, token)
  if (isOfOtherSite(c, services)) return sendPage(c, leaveForm(shown, 'otherSite'), 403)
  if (await isSignedIn(c)) return sendPage(c, leaveForm(shown, 'signedIn'), 403)
  const { group: id } = await readForm(c, LEAVE_FORM)
  const group = shown.groups.find((one) => one.id === id)
  // a group that the person has left, or whose page is closed: ask again
  if (id !== '' && !group) return sendPage(c, leaveForm(shown))
  await endConsent(c.env.incoming.openStore(null), shown, id, describeVisitor(c))
  return sendPage(c, renderLeftPage(shown, group))
}

/** Whether a person asks who may read texts of others: by a token, or in a browser that shows the console. */
const isSignedIn = async (c: Ctx) =>
  getCookie(c, 'signed_in') !== undefined || (await identifyKnownCaller(c.env.incoming)) !== null

async function requireLeavePage(c: Ctx, token: string): Promise<LeavePage> {
  const { db } = c.env.incoming.openStore(null)
  const found = await findLeavePage(db, token, readPageLanguage(c))
  if (!found) throw notFound()
  return found
}

const readPageLanguage = (c: Ctx) => c.env.incoming.language ?? 'en'

async function requireJoinPage(c: Ctx, id: string): Promise<JoinPage> {
  const { db } = c.env.incoming.openStore(null)
  const found = await findJoinPage(db, id, readPageLanguage(c))
  if (!found) throw notFound()
  return found
}

type AnswerForm = (c: Ctx, services: Services, shown: JoinPage, form: JoinForm) => Promise<Response>

/** Answers a form that asks for texts: asks the number to confirm, or shows the form again with the fault. */
const answerJoinForm: AnswerForm = async (c, services, shown, form) => {
  const again = (fault: PageWord, status = 400) =>
    sendPage(c, joinForm(shown, readTypedNumber(form), fault), status)
  if (isOfOtherSite(c, services)) return again('otherSite', 403)
  if (form.version !== shown.version) return again('changed', 409)
  if (form.agree === '') return again('mustAgree')
  const { phone: number } = readTypedPhone(form.number, form.country)
  const isPlace = form.country === '' || isCountry(form.country)
  if (number === undefined || !isPlace) return again('badNumber')
  try {
    const visitor = { ...describeVisitor(c), number }
    await askToJoin(c.env.incoming.openStore(null), services.config, shown, visitor)
  } catch (error) {
    const fault = describePageFault(error)
    if (!fault) throw error
    return again(fault.word, fault.status)
  }
  return sendPage(c, renderAskedPage(shown, number))
}

const answerCodeForm: AnswerForm = async (c, services, shown, form) => {
  const again = (fault: PageWord, status = 400) =>
    sendPage(c, renderAskedPage(shown, form.to, fault), status)
  if (isOfOtherSite(c, services)) return again('otherSite', 403)
  const { phone: number } = readTypedPhone(form.to, '')
  const code = readTypedCode(form.code)
  if (number === undefined || code === '') return again('wrongCode')
  const visitor = { ...describeVisitor(c), number }
  const isJoined = await confirmCode(c.env.incoming.openStore(null), shown, visitor, code)
  return isJoined ? sendPage(c, renderJoinedPage(shown, number)) : again('wrongCode')
}

const readTypedNumber = ({ country, number }: JoinForm): Typed => ({
  country,
  number: number.slice(0, 40),
})

const MAX_BROWSER = 500

const describeVisitor = (c: Ctx) => ({
  address: c.env.incoming.ip,
  browser: (c.req.header('user-agent') ?? '').slice(0, MAX_BROWSER),
})

const sendPage = (c: Ctx, { content, headers }: HtmlPage, status = 200) =>
  c.body(content, status as ContentfulStatusCode, { ...headers })

/** Answers an error with a page in the visitor's language. */
export const sendErrorPage: ErrorForm = (c, error) => {
  const language = readPageLanguage(c)
  const isMissing = error.status === 404
  const sentence = isMissing ? 'missingText' : (describePageFault(error)?.word ?? 'other')
  const body = html`<p>${words(fillPageWords(language, sentence))}</p>`
  return sendPage(
    c,
    renderHtmlPage(language, fillPageWords(language, isMissing ? 'missing' : 'failed'), body),
    error.status,
  )
}

const OF_PAGE: Bound = { cost: 'constant cost', by: 'places of the network' }

/** `/join`, `/leave`: pages by which people join groups and end texts, without scripts and cookies. */
export const CONSENT_PAGES = makeRoutes(SERVER_TAG, {
  'GET /join/:id': {
    permission: allowEverybody(),
    bound: OF_PAGE,
    describe: {
      id: 'showJoinPage',
      summary: 'The page by which people join a group',
      description:
        'A page in the language of the browser, without scripts and cookies. The group has `join_page`.',
      responses: describePageAnswers({
        200: 'The page.',
        404: 'No group with this id has a page.',
      }),
    },
    run: async (_, c, id) => {
      const shown = await requireJoinPage(c, id)
      return sendPage(c, joinForm(shown, { country: shown.country, number: '' }))
    },
  },
  'POST /join/:id': {
    permission: allowEverybody(),
    maxBytes: MAX_FORM_BYTES,
    bound: {
      cost: 'constant cost: one text, one entry of `consents`',
      by: 'the limits of codes for each number, network and account',
    },
    describe: {
      id: 'joinByPage',
      summary: 'Ask to join a group',
      description:
        'Texts the number to confirm, within the limits of codes, and adds an entry to `consents`. A number that has joined or opted out gets the same answer, but no text.',
      requestBody: describeFormBody(JOIN),
      responses: describePageAnswers({
        200: 'The number was asked to confirm, or has confirmed by its code.',
        400: 'The form again, with the fault.',
        402: 'The quota of the account is used up.',
        403: 'The number gets no codes, or another site sent the form.',
        404: 'No group with this id has a page.',
        409: 'The text of the page has changed: the form again.',
        413: 'The form has more than 16 KiB.',
        429: 'A limit of codes is reached.',
        503: 'No device can send a text.',
      }),
    },
    run: async ({ services }, c, id) => {
      const shown = await requireJoinPage(c, id)
      const form = await readForm(c, JOIN_FORM)
      return form.code
        ? answerCodeForm(c, services, shown, form)
        : answerJoinForm(c, services, shown, form)
    },
  },
  'GET /leave/:token': {
    permission: allowEverybody(),
    bound: {
      cost: 'constant cost; a forged token costs one lookup of the key',
      by: 'places of the network',
    },
    describe: {
      id: 'showLeavePage',
      summary: 'The page by which a person ends texts',
      description: 'The address is that of `{{stop_link}}` in a text. It changes nothing.',
      responses: describePageAnswers({
        200: 'The page, with a button; without one once the texts are ended.',
        404: 'The token is wrong.',
      }),
    },
    run: async (_, c, token) => {
      const shown = await requireLeavePage(c, token)
      return sendPage(c, shown.hasLeft ? renderLeftPage(shown) : leaveForm(shown))
    },
  },
  'POST /leave/:token': {
    permission: allowEverybody(),
    maxBytes: MAX_FORM_BYTES,
    bound: {
      cost: 'waiting texts of the account to one number',
      by: 'a repeated request changes nothing',
    },
    describe: {
      id: 'leaveByPage',
      summary: 'End texts',
      description:
        'Ends the texts of the account to the person of the link, or those of a group, and adds an entry to `consents`. Texts that no device has claimed end, too.',
      requestBody: { ...describeFormBody(LEAVE), required: false },
      responses: describePageAnswers({
        200: 'The texts are ended.',
        403: 'Another site sent the form.',
        404: 'The token is wrong.',
        413: 'The form has more than 16 KiB.',
      }),
    },
    run: endTexts,
  },
})
