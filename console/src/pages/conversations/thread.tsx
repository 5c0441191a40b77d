import { useEffect, useRef, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { deviceName, isSimulated } from '../../data/device/simulated.ts'
import { formatPhone } from '../../data/phone/phone-numbers.ts'
import type { Contact, Conversation, Message } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'
import { useSims } from '../../data/use/use-sims.ts'
import { reasonOf } from '../../data/words/failure-reasons.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { MessageStatus } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Loading } from '../../parts/wait.tsx'
import { to } from '../../router.ts'
import { Answer } from './answer.tsx'
import { ThreadHead } from './thread-head.tsx'
import { useRead } from './use-read.ts'

const STEP = 50
/** What one page of messages can hold. */
const MOST = 500

/** What was said with one number, the newest at the end, and a place to answer. */
export function Thread({
  number,
  name,
  conversation,
}: {
  number: string
  name: string
  conversation: Conversation | undefined
}) {
  const [perPage, setPerPage] = useState(STEP)
  const filter = pb.filter(
    '(message_type = "incoming" && from = {:number}) || (message_type = "outgoing" && to = {:number})',
    { number },
  )
  const messages = useList<Message>('sms_messages', { filter, perPage, expand: 'device' })
  const contacts = useList<Contact>('contacts', {
    filter: pb.filter('phone = {:number}', { number }),
    perPage: 1,
  })
  const contact = contacts.items[0]
  const simOf = useSims(messages.items)
  const newest = messages.items[0]?.id
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => {
    end.current?.scrollTo({ top: end.current.scrollHeight })
  }, [newest])
  useRead(conversation)
  return (
    <section
      class="conversations-thread"
      aria-label={t('With {name}', { name: name || formatPhone(number) })}
    >
      <ThreadHead
        number={number}
        contact={contact}
        isContactKnown={!contacts.loading && !contacts.fault}
        conversation={conversation}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <div class="conversations-texts" ref={end} tabIndex={0} role="log" aria-label={t('Texts')}>
        {messages.loading && <Loading />}
        {messages.fault && <Notice kind="wrong">{messages.fault.message}</Notice>}
        {!messages.loading && messages.items.length === 0 && (
          <p class="muted">
            {t('Nothing has been said with {number} yet.', { number: formatPhone(number) })}
          </p>
        )}
        {messages.total > messages.items.length && perPage < MOST && (
          <Button onClick={() => setPerPage(Math.min(perPage * 2, MOST))}>{t('Show earlier texts')}</Button>
        )}
        {messages.items.toReversed().map((message) => (
          <Text key={message.id} message={message} sim={byWhom(message) || simOf(message)} />
        ))}
      </div>
      <Answer
        key={number}
        number={number}
        name={name}
        conversation={conversation}
        contact={contact}
        isContactKnown={!contacts.loading}
      />
    </section>
  )
}

/** A simulated phone must be known as one. */
const byWhom = ({ expand }: Message) => (isSimulated(expand?.device) ? deviceName(expand?.device) : '')

function Text({ message, sim }: { message: Message; sim: string }) {
  const { id, message_type, body, created } = message
  const reason = reasonOf(message)
  const isIn = message_type === 'incoming'
  return (
    <article class={isIn ? 'conversations-text in' : 'conversations-text'}>
      <p>
        <span class="unseen">{isIn ? t('They wrote:') : t('You wrote:')} </span>
        {body || <span class="muted">{t('The text was removed.')}</span>}
      </p>
      <footer>
        <a href={to(`/messages/${id}`)}>
          <span class="unseen">{t('Details')}, </span>
          <Time at={created} />
        </a>
        {!isIn && <MessageStatus message={message} />}
        {sim && <span>{isIn ? t('to {line}', { line: sim }) : t('by {line}', { line: sim })}</span>}
        {reason && <span>{reason}</span>}
      </footer>
    </article>
  )
}
