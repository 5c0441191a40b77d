import { useEffect } from 'preact/hooks'
import { t } from '../../language/words.ts'

const STEPS = [t('Carrier'), t('Account and senders'), t('Address and test')]

/** The three steps of adding a carrier, with the present one marked. A step opens at the top of its page. */
export const Steps = ({ at }: { at: 1 | 2 | 3 }) => {
  useEffect(() => scrollTo(0, 0), [at])
  return (
    <ol class="carrier-steps" aria-label={t('Step {at} of {count}', { at, count: STEPS.length })}>
      {STEPS.map((words, i) => (
        <li
          key={words}
          class={i + 1 < at ? 'done' : ''}
          aria-current={i + 1 === at ? 'step' : undefined}
        >
          <span aria-hidden="true">{i + 1}</span> {words}
        </li>
      ))}
    </ol>
  )
}
