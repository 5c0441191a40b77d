import { MAX_OF_AGENT } from '#portable/agent-send-limit.ts'
import type { Fault } from '../../data/fault.ts'
import { hasTeamRole } from '../../data/session.ts'
import { formatSegmentsOrMms } from '../../data/text/text-size.ts'
import type { Usage } from '../../data/usage.ts'
import { formatNumber, t, tn, tx } from '../../language/words.ts'
import { EstimatedCost } from '../../parts/form/estimated-cost.tsx'
import { LastLeaves } from '../../parts/form/send-notices.tsx'
import { HowToProve, WithoutProof } from '../../parts/proof.tsx'
import { makePageHref } from '../../router.ts'
import { type Composition, countReached, type Preview } from './composition.ts'

export function Cost({
  preview,
  fault,
  hasText,
  chosen,
  usage,
}: {
  preview: Preview | undefined
  fault: Fault | undefined
  hasText: boolean
  chosen: Composition
  usage: Usage | undefined
}) {
  const people = preview
    ? countReached(preview)
    : chosen.recipients.filter(({ fault }) => !fault).length
  const optedOut = preview?.opted_out ?? 0
  const withoutConsent = preview?.without_consent ?? 0
  const left = usage?.remaining
  const isTooMany = (preview?.recipients_count ?? people) > MAX_OF_AGENT && !hasTeamRole('admin')
  const isShort = left !== null && left !== undefined && people > left
  return (
    <div class={isShort || isTooMany ? 'send-cost wrong' : 'send-cost'} role="status">
      {optedOut + withoutConsent > 0 && people === 0 ? (
        <strong>{t('Nobody gets this text.')}</strong>
      ) : people > 0 && (preview || chosen.groups.length === 0) ? (
        <strong>
          {tn('1 person', '{count} people', people)}
          {preview && `, ${formatSegmentsOrMms(preview.total_segments)}`}
        </strong>
      ) : (
        <span class="muted">{explainNoCost(chosen.groups.length > 0, hasText, fault)}</span>
      )}
      {!hasTeamRole('admin') && (
        <span>{t('Agents send to at most {count} people at once', { count: MAX_OF_AGENT })}</span>
      )}
      <EstimatedCost estimate={preview?.estimate} />
      {preview && (
        <LastLeaves at={preview.last_leaves_at} dueAt={chosen.isLater ? chosen.at : ''} />
      )}
      {optedOut > 0 && (
        <span>
          {tn(
            '1 opted out, who will get nothing',
            '{count} opted out, who will get nothing',
            optedOut,
          )}
        </span>
      )}
      <WithoutProof people={withoutConsent} />
      {withoutConsent > 0 && people === 0 && <HowToProve />}
      {usage && left !== null && left !== undefined && (
        <span>
          {tx(
            isShort
              ? 'Only {left} of {quota} messages {link}'
              : '{left} of {quota} messages {link}',
            {
              left: formatNumber(left),
              quota: formatNumber(usage.quota),
              link: <a href={makePageHref('/usage')}>{t('left this month')}</a>,
            },
          )}
        </span>
      )}
    </div>
  )
}

/** Says why the cost is unknown. The card beside it shows the server's error. */
function explainNoCost(hasGroups: boolean, hasText: boolean, fault: Fault | undefined): string {
  if (!hasGroups) return t('Nobody to send to yet')
  if (!hasText) return t('A text is missing')
  return fault ? t('Not known yet') : t('Counting')
}
