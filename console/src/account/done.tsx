import { t } from '../language/words.ts'
import { ButtonLink } from '../parts/form/button.tsx'
import { to } from '../router.ts'
import { Sheet } from './sheet.tsx'

/** Confirms what a mailed link did. `title` names it. */
export const Done = ({ title }: { title: string }) => (
  <Sheet title={title} text={t('Sign in with it from now on.')}>
    <ButtonLink kind="primary" href={to('/')}>
      {t('Sign in')}
    </ButtonLink>
  </Sheet>
)
