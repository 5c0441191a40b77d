import type { AuthMethodsList } from 'pocketbase'
import type { Session } from '../../data/session.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { locale } from '../../language/language.ts'
import { t } from '../../language/words.ts'
import { Card } from '../../parts/page.tsx'
import { OnOffBadge } from '../../parts/time.tsx'

export function SecondFactor({ session }: { session: Session }) {
  const path = `/api/collections/${session.record.collectionName}/auth-methods`
  const { value: methods } = useAnswer<AuthMethodsList>(path)
  if (!methods) return null
  const isOn = methods.mfa.enabled
  return (
    <Card title={t('Second factor')} actions={<OnOffBadge isOn={isOn} />}>
      <p>{isOn ? describeSeconds(methods) : OFF[session.role]}</p>
    </Card>
  )
}

const OFF = {
  user: t('You sign in with your password alone. A superuser can ask all users for a mailed code as well.'),
  superuser: t(
    'You sign in with your password alone. You can require a mailed code as well, in the options of the collection _superusers.',
  ),
} as const

function describeSeconds({ otp, oauth2 }: AuthMethodsList): string {
  const names = oauth2.enabled ? oauth2.providers.map(({ displayName, name }) => displayName || name) : []
  const ways = [...(otp.enabled ? [t('a mailed code')] : []), ...names]
  return t('After your password you are asked for a second proof: {ways}.', {
    ways: new Intl.ListFormat(locale, { type: 'disjunction' }).format(ways),
  })
}
