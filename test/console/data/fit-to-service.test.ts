import { fitToService } from '../../../console/src/data/webhooks/webhook-events.ts'

const AUDIT = { url: 'https://hooks.example.com', events: ['message.failed', 'audit.recorded'] }

test('a service gets no event that the form hides for it', () => {
  const all = { ...AUDIT, preset: 'slack' }
  expect(fitToService({ preset: 'slack' }, all)).toEqual({
    preset: 'slack',
    format: 'template',
    events: ['message.failed'],
  })
  expect(fitToService(all, all)).toMatchObject({ events: ['message.failed'] })
})

test('a program keeps the events of the audit log', () => {
  const all = { ...AUDIT, preset: '' }
  expect(fitToService(all, all)).toEqual({ ...all, format: '' })
  expect(fitToService({ url: all.url }, all)).toEqual({ url: all.url })
})

test('a service for which all events were hidden is saved without events', () => {
  const all = { preset: 'slack', events: ['audit.recorded'] }
  expect(fitToService({ preset: 'slack' }, all)).toMatchObject({ events: [] })
})
