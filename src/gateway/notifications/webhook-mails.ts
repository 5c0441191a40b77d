import { setTimeout as sleep } from 'node:timers/promises'
import { readMailSender } from '../../engine/auth/auth-mails.ts'
import { escapeHtml, renderMailLayout } from '../../engine/auth/mail-html.ts'
import { type MailServices, makeMessageId, sendMail } from '../../engine/auth/send-mail.ts'
import { countSignInTry } from '../../engine/auth/sign-in-limits.ts'
import type { Db } from '../../platform/db/open.ts'
import { loadMailLook } from '../base/account-look.ts'
import { type CallOutcome, type OtherForms, TIMEOUT_MS } from '../webhooks/call-webhook.ts'
import { readErrorReason } from '../webhooks/mask-answer.ts'

const MAX_PER_HOUR = 100

/** Sends mails for webhooks by the SMTP server in the settings. A retried mail has the same Message-ID. */
export const makeWebhookMailer =
  (db: Db, post: MailServices): OtherForms['mail'] =>
  async ({ user, webhook, eventId }, { to, subject, text }) => {
    const begun = performance.now()
    const outcome = (more: Pick<CallOutcome, 'text' | 'verdict'> & Partial<CallOutcome>) => ({
      status: 0,
      retryAfter: 0,
      latencyMs: Math.round(performance.now() - begun),
      ...more,
    })
    if (!post.settings.current.smtp.enabled)
      return outcome({ text: 'This server has no SMTP server in its settings', verdict: 'again' })
    try {
      const retryAfter = await countSignInTry(db, `mails of webhooks ${user}`, MAX_PER_HOUR, 3_600)
      if (retryAfter > 0)
        return outcome({
          text: 'Too many mails of webhooks in this hour',
          retryAfter,
          verdict: 'again',
        })
      const html = renderMailLayout(
        text
          .split('\n')
          .map((line) => `<p>${escapeHtml(line)}</p>`)
          .join('\n'),
        { ...(await loadMailLook(db, user, readMailSender(post))), language: 'en' },
      )
      const messageId = makeMessageId(post, `${webhook}.${eventId}`)
      const late = sleep(TIMEOUT_MS, undefined, { ref: false }).then(() => {
        throw new Error('The SMTP server did not answer in time')
      })
      await Promise.race([sendMail(post, { to: to.join(', '), subject, html, messageId }), late])
      return outcome({ status: 250, text: 'The SMTP server took the mail', verdict: 'delivered' })
    } catch (error) {
      return outcome({ text: readErrorReason(error), verdict: 'again' })
    }
  }
