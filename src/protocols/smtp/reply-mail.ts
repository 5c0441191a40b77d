/** What a mail's headers say about it. */
interface Headers {
  readonly subject?: string
  readonly headers: readonly { readonly key: string; readonly value: string }[]
}

/** `Re:` in the languages of mail programs, also as `Re[2]:` and `RE (2):`. */
const REPLY =
  /^(?:re|aw|antw(?:ort)?|sv|vs|res|rif|r|odp|ynt|bls|vá|atb|ha|απ|回复|回覆|答复|返信|답장) ?(?:\[\d+\]|\(\d+\))? ?[:：]/i

/** Beginnings that machines write, too, such as `HA: node2 is down`. */
const SHORT_REPLY = /^(?:ha|r|rif|res|sv|vs|bls) ?(?:\[\d+\]|\(\d+\))? ?[:：]/i

/**
 * Whether a person answers a mail: by its subject, since Alertmanager and Netdata write `In-Reply-To`, too.
 * A short word in it is enough only in a mail that names the one that it answers. Not if a header says that a
 * program or a mailing list sent it. RFC 3834
 */
export function isReplyMail({ subject = '', headers }: Headers): boolean {
  const isAutomatic = headers.some(
    ({ key, value }) =>
      (key === 'auto-submitted' && !/^no\b/i.test(value)) ||
      (key === 'precedence' && /^(?:bulk|list|junk)\b/i.test(value)),
  )
  const isThread = headers.some(({ key }) => key === 'in-reply-to' || key === 'references')
  const start = subject.trim()
  return REPLY.test(start) && !isAutomatic && (isThread || !SHORT_REPLY.test(start))
}
