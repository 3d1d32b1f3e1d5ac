import type { BeaConnection, BeaGateway, GatewaySession, KeyTools } from '#bea/network/gateway-ports.ts'
import { Failure } from '#kernel/failure.ts'

const certificate = {
  pem: 'CERTIFICATE',
  subject: 'CN=Dr. Jana Vogt',
  issuer: 'CN=Test',
  serial: '01',
  thumbprint: 'ab'.repeat(20),
  valid_from: '2026-01-01T00:00:00.000Z',
  valid_to: '2028-01-01T00:00:00.000Z',
  owner_name: 'Dr. Jana Vogt',
}

/**
 * A gateway in memory with strict token rotation: it accepts only the newest token of a session. It knows one lawyer.
 */
export function toyBeaGateway(safeId = 'DE.BRAK.11111111-2222-4333-8444-555555555555.abcd') {
  const state = {
    /** The newest token of each open session. */
    tokens: new Set<string>(),
    logins: 0,
    logouts: 0,
    inUse: 0,
    maxInUse: 0,
    /** Thrown by the next login. */
    refusal: undefined as Failure | undefined,
    safeId,
    /** How long each call takes. */
    milliseconds: 0,
    postboxes: [{ postbox_safe_id: safeId, name: 'Dr. Jana Vogt' as string | null, folders: [] }],
    count: 0,
  }
  const newToken = () => {
    state.count += 1
    const token = `token ${state.count}`
    state.tokens.add(token)
    return token
  }
  const pause = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, state.milliseconds)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(new Failure('upstream', 'BEA_GATEWAY_ERROR', 'Aborted.'))
      })
    })

  const gateway: BeaGateway = {
    startLogin: async (used) => ({
      certificate: used,
      challenges: [{ id: 'c', data: 'challenge' }],
      state: 's1',
    }),
    answerChallenges: async (step, signatures) => {
      if (signatures[0]?.data !== 'challenge signed')
        throw new Failure('unprocessable', 'BEA_CERTIFICATE_INVALID', 'The signature is wrong.')
      return { certificate: step.certificate, keys: [{ id: 'k', data: 'key' }], state: 's2' }
    },
    finishLogin: async (_step, keys, signal) => {
      await pause(signal)
      if (state.refusal) throw state.refusal
      if (keys[0]?.data !== 'key unwrapped')
        throw new Failure('unprocessable', 'BEA_CERTIFICATE_INVALID', 'The key is wrong.')
      state.logins += 1
      return { token: newToken(), session_key: 'session key', safe_id: state.safeId }
    },
    connect: async (given) => connectionOf({ ...given }),
  }

  function connectionOf(session: GatewaySession): BeaConnection {
    const call = async <Result>(signal: AbortSignal, answer: () => Result): Promise<Result> => {
      state.inUse += 1
      state.maxInUse = Math.max(state.maxInUse, state.inUse)
      try {
        await pause(signal)
        if (!state.tokens.delete(session.token))
          throw new Failure('unauthenticated', 'BEA_NOT_AUTHENTICATED', 'The session is over.')
        session.token = newToken()
        return answer()
      } finally {
        state.inUse -= 1
      }
    }
    return {
      session: () => ({ ...session }),
      check: (signal) => call(signal, () => undefined),
      logout: (signal) =>
        call(signal, () => {
          state.tokens.delete(session.token)
          state.logouts += 1
        }),
      postboxes: (signal) =>
        call(signal, () => {
          if (!state.postboxes.some(({ postbox_safe_id }) => postbox_safe_id === session.safe_id))
            throw new Failure('upstream', 'BEA_GATEWAY_ERROR', 'The postbox of the login is missing.')
          return state.postboxes
        }),
      folders: (_postbox, signal) =>
        call(signal, () => [{ id: '1', parent_id: null, name: 'Posteingang', type: 'INBOX', unread: 2 }]),
      overview: (_folder, signal) => call(signal, () => []),
      message: (_postbox, _id, signal) =>
        call(signal, () => {
          throw new Error('There is none.')
        }),
      accessRights: (signal) => call(signal, () => []),
      search: (_query, signal) => call(signal, () => []),
      send: async (_postbox, _message, beforeLastStep, signal) => {
        await call(signal, () => undefined)
        await beforeLastStep()
        return call(signal, () => ({ outcome: 'sent' as const, message_id: '7' }))
      },
    }
  }

  const tools: KeyTools = {
    open: async (bytes, passphrase) => {
      if (passphrase !== 'geheim' && bytes[0] !== 'c'.charCodeAt(0))
        throw new Failure('unprocessable', 'BEA_CERTIFICATE_INVALID', 'The passphrase is wrong.')
      const isCard = bytes[0] === 'c'.charCodeAt(0)
      return { certificate, private_key_pem: isCard ? null : 'PRIVATE KEY' }
    },
    sign: async (_material, challenges) => challenges.map(({ id, data }) => ({ id, data: `${data} signed` })),
    unwrap: async (_material, wrapped) => wrapped.map(({ id, data }) => ({ id, data: `${data} unwrapped` })),
  }

  return { gateway, tools, state, certificate }
}
