import { useEffect } from 'preact/hooks'
import { t } from '../language/words.ts'
import type { PageProps } from '../router.ts'
import { PageFrame } from './page-frame.tsx'

/** The last page of an OAuth2 sign-in, in a popup that an app opened. Closes the popup after a success. */
export function Page({ params: { outcome } }: PageProps) {
  const isDone = outcome === 'oauth2-redirect-success'
  useEffect(() => {
    if (isDone) window.close()
  }, [isDone])
  return isDone ? (
    <PageFrame
      title={t('You are signed in')}
      text={t('You can close this window and go back to the app.')}
    />
  ) : (
    <PageFrame
      title={t('You could not be signed in')}
      text={t('Close this window, go back to the app and try again.')}
    />
  )
}
