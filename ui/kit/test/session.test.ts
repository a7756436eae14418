import { expect, it, vi } from 'vitest';
import { Session, type SessionState } from '../src/session/session.svelte.ts';

function startSession() {
  const answers: ((state: SessionState) => void)[] = [];
  const session = new Session(() => new Promise<SessionState>((done) => answers.push(done)));
  return { session, answers };
}

it('shows the answer to the last check', async () => {
  const { session, answers } = startSession();
  const checks = [session.check(), session.check()];
  answers[0]!({ loggedIn: false });
  await vi.waitUntil(() => answers.length === 2);
  answers[1]!({ loggedIn: true });
  await Promise.all(checks);
  expect(session.state?.loggedIn).toBe(true);
});

it('asks again when it is rejected during a check', async () => {
  const { session, answers } = startSession();
  const check = session.check();
  session.ended();
  answers[0]!({ loggedIn: true });
  await vi.waitUntil(() => answers.length === 2);
  expect(session.state?.loggedIn).toBe(false);
  answers[1]!({ loggedIn: true });
  await check;
  expect(session.state?.loggedIn).toBe(true);
});
