import { pb } from '../../data/client.ts'
import { findOtherNumber, type Message } from '../../data/record-types.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { FaultNotice } from '../../parts/form/form.tsx'
import { Pager } from '../../parts/list/records.tsx'
import { Loading } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { makePageHref } from '../../router.ts'
import './page.css'
import type { ScheduledSend } from './use-scheduled.ts'

/** The texts of a send that wait, each with its recipient, and a link to the progress of the send. */
export function SendTexts({ send: { send } }: { send: ScheduledSend }) {
  const list = useList<Message>('sms_messages', {
    filter: pb.filter('batch_id = {:send} && status = "pending"', { send }),
    sort: '@rowid',
  })
  const findName = useNames(list.items.map(findOtherNumber))
  return (
    <>
      <FaultNotice fault={list.fault} />
      {list.loading && <Loading />}
      <ul class="scheduled-texts" aria-label={t('Texts')}>
        {list.items.map(({ id, to, body }) => (
          <li key={id}>
            <a href={makePageHref(`/messages/${id}`)}>
              {findName(to) || <PhoneNumber number={to} />}
            </a>
            <span>{body}</span>
          </li>
        ))}
      </ul>
      <Pager {...list} />
      <a href={makePageHref('/send', { batch: send })}>{t('Progress of the send')}</a>
    </>
  )
}
