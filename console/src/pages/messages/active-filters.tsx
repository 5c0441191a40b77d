import { t } from '../../language/words.ts'
import { Icon } from '../../parts/icon.tsx'
import { formatDay } from '../../parts/time.tsx'
import { type Question, STATES } from './question.ts'

/** The filters that are set, each as a button that removes it. `hasState`: also the state. */
export function ActiveFilters({
  question: { filter, state, from, until, device, sender },
  hasState,
  onChange,
}: {
  question: Question
  hasState: boolean
  onChange: (change: Partial<Question>) => void
}) {
  const active = [
    ['state', hasState && state && STATES.find(([key]) => key === state)?.[1]],
    ['from', from && `${t('From')}: ${formatDay(`${from}T00:00`)}`],
    ['until', until && `${t('Until')}: ${formatDay(`${until}T00:00`)}`],
    ['device', device && t('Device')],
    ['sender', sender && t('Sent by')],
    ['filter', filter],
  ].filter((one): one is [keyof Question, string] => Boolean(one[1]))
  if (active.length === 0) return null
  return (
    <div class="messages-active chips">
      {active.map(([key, words]) => (
        <button
          key={key}
          type="button"
          aria-label={t('Remove the filter {filter}', { filter: words })}
          onClick={() => onChange({ [key]: '' })}
        >
          <span class="cut">{words}</span>
          <Icon name="close" size={14} />
        </button>
      ))}
    </div>
  )
}
