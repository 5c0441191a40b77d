import { t } from '../language/words.ts'
import { ButtonLink } from '../parts/form/button.tsx'
import { to } from '../router.ts'
import { Sheet } from './sheet.tsx'

/** What was asked for by a mailed link is done: `title` says what. */
export const Done = ({ title }: { title: string }) => (
  <Sheet title={title} text={t('Sign in with it from now on.')}>
    <ButtonLink kind="primary" href={to('/')}>
      {t('Sign in')}
    </ButtonLink>
  </Sheet>
)
