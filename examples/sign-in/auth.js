import { APIError, betterAuth } from 'better-auth'
import { phoneNumber } from 'better-auth/plugins'

const verify = (path, body) =>
  fetch(`${process.env.POCKETSMS_URL}/api/verify${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': process.env.POCKETSMS_KEY },
    body: JSON.stringify(body),
  })

export const auth = betterAuth({
  plugins: [
    phoneNumber({
      async sendOTP({ phoneNumber }) {
        const answer = await verify('', { to: phoneNumber })
        if (!answer.ok)
          throw new APIError(answer.status, { message: (await answer.json()).message })
      },
      async verifyOTP({ phoneNumber, code }) {
        const answer = await verify('/check', { to: phoneNumber, code })
        return answer.ok && (await answer.json()).status === 'approved'
      },
      signUpOnVerification: { getTempEmail: (phone) => `${phone.slice(1)}@phone.example.com` },
    }),
  ],
})
