import { t } from '../../language/words.ts'
import type { Consent, ConsentState } from '../record-types.ts'

/** The wish of a person about texts, as a badge shows it. */
export const CONSENT_STATES = {
  given: ['good', t('agreed')],
  asked: ['busy', t('asked')],
  claimed: ['calm', t('without proof')],
  stopped: ['warn', t('stopped')],
} as const satisfies Record<ConsentState['state'], readonly unknown[]>

const ALL = 'all'

/** The group or the purpose that a consent is about. */
export const describePurpose = ({
  purpose,
  expand,
}: Pick<Consent | ConsentState, 'purpose' | 'expand'>): string =>
  expand?.group?.name ?? (purpose === ALL ? t('All texts') : purpose)
