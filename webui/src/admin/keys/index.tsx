import { Route, Routes } from '../router';
import { KeyForm } from './KeyForm';
import { KeyList } from './KeyList';

/** Keys manages the API keys (§7.6): a list, and a form below it. */
export default function Keys() {
  return (
    <Routes>
      <Route index element={<KeyList />} />
      <Route path="create" element={<KeyForm />} />
      <Route path=":id" element={<KeyForm />} />
    </Routes>
  );
}
