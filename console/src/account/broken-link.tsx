import { session } from '../data/session.ts'
import { t } from '../language/words.ts'
import { ButtonLink } from '../parts/form/form.tsx'
import { makePageHref } from '../router.ts'
import { PageFrame } from './page-frame.tsx'

export const BrokenLink = ({
  text = t('It may have been cut: copy it whole from the mail.'),
}: {
  text?: string
}) => (
  <PageFrame title={t('This link does not work')} text={text}>
    <ButtonLink href={makePageHref('/')}>
      {session.value ? t('Go to the console') : t('Go to the sign-in')}
    </ButtonLink>
  </PageFrame>
)
