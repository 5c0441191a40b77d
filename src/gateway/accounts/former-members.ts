import { sql } from 'kysely'
import { readMailSender } from '../../engine/auth/auth-mails.ts'
import {
  escapeHtml,
  formatNameForMail,
  renderLink,
  renderMailLayout,
} from '../../engine/auth/mail-html.ts'
import { type MailServices, makeMessageId, sendMail } from '../../engine/auth/send-mail.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { JobKind } from '../../platform/jobs/job-queue.ts'
import { readLanguage } from '../../portable/languages.ts'
import { loadMailLook } from '../base/account-look.ts'
import { FORMER_DIRECTORY } from './former-directory.ts'
import { makeMailSay } from './mail-words.ts'

// Members whom a directory added that no longer can remove them: `directory` is FORMER_DIRECTORY until the
// owner or an admin keeps or removes them.

const MAX_LISTED = 100

/** The members of an account on whom it has to decide, at most MAX_LISTED. */
export const selectFormerMembers = (db: Db, account: string) =>
  queries(db)
    .selectFrom('members as m')
    .innerJoin('senders as s', 's.id', 'm.id')
    .select(['m.id', 's.name', 'm.updated as since'])
    .where('m.account', '=', account)
    .where('m.directory', '=', FORMER_DIRECTORY)
    .orderBy('s.name')
    .orderBy('m.id')
    .limit(sql.lit(MAX_LISTED))

/** Jobs that mail the owner, the holder, which members to keep or remove. A migration adds them. */
export const makeFormerMembersJobs = (
  openStore: (account: string) => Store,
  post: MailServices,
): JobKind => ({
  name: 'former_members_mail',
  places: 2,
  placesOfHolder: 1,
  timeoutSeconds: 600,
  maxAttempts: 40,
  async run({ holder, key }) {
    const { db } = openStore(holder)
    const members = await selectFormerMembers(db, holder).execute()
    const owner = await queries(db)
      .selectFrom('users')
      .select(['email', 'language'])
      .where('id', '=', holder)
      .where('verified', '=', true)
      .executeTakeFirst()
    if (!owner || members.length === 0) return undefined
    const sender = readMailSender(post)
    const language = readLanguage(owner.language)
    const say = makeMailSay(language)
    const names = members.map(({ name }) => formatNameForMail(name, '–'))
    const html = `<p>${escapeHtml(say('formerText'))}</p>
<ul>${names.map((name) => `<li>${escapeHtml(name)}</li>`).join('')}</ul>
<p>${renderLink(`${sender.appUrl}/#/team`, say('formerButton'), 'btn')}</p>`
    await sendMail(post, {
      to: owner.email,
      subject: say('formerSubject'),
      html: renderMailLayout(html, { ...(await loadMailLook(db, holder, sender)), language }),
      messageId: makeMessageId(post, `former-members-${key}`),
    })
    return undefined
  },
})
