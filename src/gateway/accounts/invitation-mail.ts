import { type MailSender, readMailSender } from '../../engine/auth/auth-mails.ts'
import type { AuthServices } from '../../engine/auth/auth-services.ts'
import { findByEmail } from '../../engine/auth/find-auth-record.ts'
import {
  escapeHtml,
  formatNameForMail,
  renderLink,
  renderMailLayout,
} from '../../engine/auth/mail-html.ts'
import { sendMail } from '../../engine/auth/send-mail.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { type AuthCollection, USERS_ID } from '../../engine/collections/collection.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import { queries } from '../../platform/db/queries.ts'
import { isLanguage, type Language } from '../../portable/languages.ts'
import { loadMailLook } from '../base/account-look.ts'
import { findSenderNames } from './load-own-account.ts'
import { makeMailSay } from './mail-words.ts'

interface InvitationMail {
  readonly to: string
  readonly link: string
  readonly days: number
  /** The language of the request. */
  readonly browser: Language | undefined
}

/** Mails an invitation. Throws if the mail cannot be sent. */
export async function sendInvitationMail(
  store: Store,
  services: AuthServices,
  auth: AuthRecord,
  { to, link, days, browser }: InvitationMail,
): Promise<void> {
  const sender: MailSender = readMailSender(services)
  const [found] = await findSenderNames(store.db, [auth.id])
  const name = formatNameForMail(found?.name ?? '', sender.appName)
  const language = await findLanguage(store, auth, to, browser)
  const say = makeMailSay(language)
  const html = `<p>${escapeHtml(say('inviteText', { name }))}</p>
<p>${renderLink(link, say('inviteButton'), 'btn')}</p>
<p>${escapeHtml(say('inviteLimits', { name, count: days }))}</p>`
  const look = { ...(await loadMailLook(store.db, auth.id, sender)), language }
  await sendMail(services, {
    to,
    subject: say('inviteSubject', { name }),
    html: renderMailLayout(html, look),
  })
}

/** The language of the invited person; if unknown, that of the inviting person, else of the account. */
async function findLanguage(
  store: Store,
  { id, sender }: AuthRecord,
  to: string,
  browser: Language | undefined,
): Promise<Language> {
  const users = store.catalog.find(USERS_ID) as AuthCollection
  const known = await findByEmail(store, users, to)
  const of = (ids: 'members' | 'users', value: string) =>
    ids === 'users'
      ? queries(store.db).selectFrom('users as u').select('u.language').where('u.id', '=', value)
      : queries(store.db)
          .selectFrom('members as m')
          .innerJoin('users as u', 'u.id', 'm.member')
          .select('u.language')
          .where('m.id', '=', value)
  const inviting = await of(sender === id ? 'users' : 'members', sender).executeTakeFirst()
  const account = await of('users', id).executeTakeFirst()
  return (
    [known?.values.language, inviting?.language, browser, account?.language].find(isLanguage) ??
    'en'
  )
}
