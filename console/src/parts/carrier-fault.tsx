import type { ComponentChildren } from 'preact'
import { explainCarrierFault } from '../data/carriers/refusal-words.ts'
import { t } from '../language/words.ts'
import { Notice } from './form/form.tsx'

/** Why a carrier sends nothing, and what happens to its texts. `children`: how to end it. */
export function CarrierFault({ fault, children }: { fault: string; children?: ComponentChildren }) {
  const { words, said } = explainCarrierFault(fault)
  return (
    <Notice kind="wrong">
      <p>
        <strong>{words}</strong>{' '}
        {t(
          'Its texts go to your other devices, or wait. The server tries again within 15 minutes, and at once when you save the account.',
        )}
      </p>
      <p>{t('In detail: {said}', { said })}</p>
      {children}
    </Notice>
  )
}

/** A carrier that gets only texts that name it. `children`: how to end that. */
export const UntestedCarrier = ({ children }: { children: ComponentChildren }) => (
  <Notice kind="warning">
    <p>
      {t(
        'The carrier is not used yet: once a test text is delivered, it sends your other texts, too.',
      )}
    </p>
    {children}
  </Notice>
)
