// What stands between a visitor and a share: password, view limit, expiry.
// Pastes and files pass the same gate.
export { GateView, OfflineCopy } from './GateView';
export { useGate } from './useGate';
