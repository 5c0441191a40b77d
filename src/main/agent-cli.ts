#!/usr/bin/env node
import { runMain } from 'citty'
import { agentCommand } from '../programs/agent/agent-command.ts'
import { makeStrictCommand } from './command-line.ts'

// the agent as a separate program, which servers offer for download as /agent.tgz
const meta = {
  name: 'agent',
  description: 'Send and receive for a server, through a phone or modem.',
}
await runMain(makeStrictCommand({ ...agentCommand, meta }, 'agent'))
