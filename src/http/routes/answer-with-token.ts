import { MFA_FORM } from '../../engine/auth/check-mfa.ts'
import type { Proven } from '../../engine/auth/one-time-passwords.ts'
import { answerSignIn, type SignInProof } from '../../engine/auth/sign-in.ts'
import type { AuthRecord, RequestContext } from '../../engine/request/request.ts'
import { authenticate, NO_CALLER, retryRequest } from '../attempt.ts'
import { readForm } from '../body/form.ts'
import { readRequestBody } from '../body/read-body.ts'
import { auditRefusedSignIn, auditRequest } from '../middleware/audit-requests.ts'
import type { Ctx, Services } from '../request-context.ts'
import { sendJson } from '../send-answer.ts'

/** Answers a sign-in by `find`, and audits it. `identity`: whom a refused sign-in named. */
export async function answerSignInCall(
  c: Ctx,
  services: Services,
  context: 'password' | 'otp',
  find: () => Promise<Proven>,
  identity = async () => '',
): Promise<Response> {
  try {
    const { auth, method } = await retryRequest(services.store, NO_CALLER, find)
    const answer = await answerWithToken(c, services, auth, { method }, { context })
    if (auth.isSuperuser) await auditRequest(c, auth, { action: 'sign in' })
    return answer
  } catch (error) {
    await auditRefusedSignIn(c, services, error, identity)
    throw error
  }
}

/** Answers a successful sign-in by any method. `known.asker`: who sent the request, if already identified. */
export async function answerWithToken(
  c: Ctx,
  services: Services,
  auth: AuthRecord,
  proof: SignInProof,
  known: { readonly context?: RequestContext; readonly asker?: AuthRecord },
): Promise<Response> {
  const { values } = await readRequestBody(c)
  const asker = known.asker ?? (await authenticate(c, services))
  const visit = {
    readMfaForm: () => readForm(c, MFA_FORM),
    request: c.env.incoming.describe(
      asker,
      values,
      known.context,
      c.env.incoming.makeMeter(asker ?? auth),
    ),
    ip: c.env.incoming.ip,
    userAgent: c.env.incoming.headers['user-agent'] ?? '',
  }
  c.header('cache-control', 'no-store')
  return sendJson(
    c,
    await answerSignIn(c.env.incoming.openStore(asker ?? auth), services, auth, visit, proof),
  )
}
