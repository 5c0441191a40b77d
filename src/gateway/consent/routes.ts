import { Hono } from 'hono'
import { getCookie } from 'hono/cookie'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { object, text, type ValueOf } from '../../engine/fields/json-shapes.ts'
import { knownCaller } from '../../http/authenticate.ts'
import { readForm } from '../../http/body/form.ts'
import type { Ctx, Env, ErrorForm, Services } from '../../http/context.ts'
import { gate } from '../../http/middleware/gate.ts'
import { clientIp, storeOf } from '../../http/server/caller.ts'
import { notFound } from '../../platform/errors.ts'
import { readTyped } from '../../portable/phone/typed.ts'
import { readTypedCode } from '../../portable/typed-code.ts'
import { askedPage, joinedPage } from './pages/asked-page.ts'
import { confirmCode } from './pages/confirm-code.ts'
import { faultWords } from './pages/fault-words.ts'
import { isOfOtherSite } from './pages/form-of-other-site.ts'
import { html, PAGE_HEADERS, page, text as words } from './pages/html.ts'
import { joinForm, type Typed } from './pages/join-form.ts'
import { findJoinPage, type JoinPage } from './pages/join-page.ts'
import { leave } from './pages/leave.ts'
import { findLeavePage, type LeavePage, leaveForm, leftPage } from './pages/leave-page.ts'
import { type PageWord, pageLanguage, pageWords } from './pages/page-words.ts'
import { askToJoin } from './pages/send-join-question.ts'

const MAX_FORM_BYTES = 16 << 10

/** The fields of all forms of a join page. `to`: the number that got the code. */
const JOIN_FORM = object({ country: text, number: text, agree: text, version: text, to: text, code: text })
type JoinForm = ValueOf<typeof JOIN_FORM>

/** The form of a leave page. `group`: the id of a group to leave; '' for all texts. */
const LEAVE_FORM = object({ group: text })

/**
 * `/join/ID`, `/leave/TOKEN`: public pages by which people join groups and end texts. They work without
 * scripts and set no cookies.
 */
export function consentPageRoutes(services: Services): Hono<Env> {
  const app = new Hono<Env>()
  for (const path of ['/join/*', '/leave/*'])
    app.use(
      path,
      (c, next) => {
        c.set('errorForm', errorPage)
        return next()
      },
      gate(services),
    )
  return app
    .get('/join/:id', async (c) => {
      const shown = await joinPageOf(c, services)
      return send(c, joinForm(shown, { country: shown.country, number: '' }))
    })
    .post('/join/:id', async (c) => {
      const shown = await joinPageOf(c, services)
      const form = await readForm(c, JOIN_FORM, { maxBytes: MAX_FORM_BYTES })
      return form.code ? confirm(c, services, shown, form) : join(c, services, shown, form)
    })
    .get('/leave/:token', async (c) => send(c, leaveForm(await leavePageOf(c, services))))
    .post('/leave/:token', async (c) => {
      const shown = await leavePageOf(c, services)
      if (isOfOtherSite(c, services)) return send(c, leaveForm(shown, 'otherSite'), 403)
      if (await isSignedIn(c, services)) return send(c, leaveForm(shown, 'signedIn'), 403)
      const { group: id } = await readForm(c, LEAVE_FORM, { maxBytes: MAX_FORM_BYTES })
      const group = shown.groups.find((one) => one.id === id)
      // a group that the person has left, or whose page is closed: ask again
      if (id !== '' && !group) return send(c, leaveForm(shown))
      await leave(storeOf(c, services, null), shown, id, visitorOf(c, services))
      return send(c, leftPage(shown, group))
    })
}

/** Whether a person asks who may read texts of others: by a token, or in a browser that shows the console. */
const isSignedIn = async (c: Ctx, services: Services) =>
  getCookie(c, 'signed_in') !== undefined || (await knownCaller(c, services)) !== null

async function leavePageOf(c: Ctx, services: Services): Promise<LeavePage> {
  const { db } = storeOf(c, services, null)
  const found = await findLeavePage(db, c.req.param('token') ?? '', languageOf(c))
  if (!found) throw notFound()
  return found
}

const languageOf = (c: Ctx) => pageLanguage(c.req.header('accept-language'))

async function joinPageOf(c: Ctx, services: Services): Promise<JoinPage> {
  const { db } = storeOf(c, services, null)
  const found = await findJoinPage(db, c.req.param('id') ?? '', languageOf(c))
  if (!found) throw notFound()
  return found
}

/** Answers a form that asks for texts: asks the number to confirm, or shows the form again with the fault. */
async function join(c: Ctx, services: Services, shown: JoinPage, form: JoinForm): Promise<Response> {
  const again = (fault: PageWord, status = 400) => send(c, joinForm(shown, typedIn(form), fault), status)
  if (isOfOtherSite(c, services)) return again('otherSite', 403)
  if (form.version !== shown.version) return again('changed', 409)
  if (form.agree === '') return again('mustAgree')
  const { phone: number } = readTyped(form.number, form.country)
  if (number === undefined) return again('badNumber')
  try {
    const visitor = { ...visitorOf(c, services), number }
    await askToJoin(storeOf(c, services, null), services.config, shown, visitor)
  } catch (error) {
    const fault = faultWords(error)
    if (!fault) throw error
    return again(fault.word, fault.status)
  }
  return send(c, askedPage(shown, number))
}

/** Answers a form with a code. */
async function confirm(c: Ctx, services: Services, shown: JoinPage, form: JoinForm): Promise<Response> {
  const again = (fault: PageWord, status = 400) => send(c, askedPage(shown, form.to, fault), status)
  if (isOfOtherSite(c, services)) return again('otherSite', 403)
  const { phone: number } = readTyped(form.to, '')
  const code = readTypedCode(form.code)
  if (number === undefined || code === '') return again('wrongCode')
  const visitor = { ...visitorOf(c, services), number }
  const isJoined = await confirmCode(storeOf(c, services, null), shown, visitor, code)
  return isJoined ? send(c, joinedPage(shown, number)) : again('wrongCode')
}

const typedIn = ({ country, number }: JoinForm): Typed => ({ country, number: number.slice(0, 40) })

const MAX_BROWSER = 500

const visitorOf = (c: Ctx, services: Services) => ({
  address: clientIp(c, services),
  browser: (c.req.header('user-agent') ?? '').slice(0, MAX_BROWSER),
})

const send = (c: Ctx, content: string, status = 200) =>
  c.body(content, status as ContentfulStatusCode, { ...PAGE_HEADERS })

/** Answers an error with a page in the visitor's language. */
const errorPage: ErrorForm = (c, error) => {
  const language = languageOf(c)
  const isMissing = error.status === 404
  const sentence = isMissing ? 'missingText' : (faultWords(error)?.word ?? 'other')
  const body = html`<p>${words(pageWords(language, sentence))}</p>`
  return send(c, page(language, pageWords(language, isMissing ? 'missing' : 'failed'), body), error.status)
}
