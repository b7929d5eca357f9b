import { useT } from '../../i18n';
import { Dialog } from '../ui';
import styles from './dialogs.module.css';

// One string a group; the signs are their own names to readers of screens.
const groups = {
  faces:
    '😀 😃 😄 😁 😅 😂 🙂 😉 😊 😍 😘 😋 😎 🤔 🤗 🤩 😏 😐 😑 😶 🙄 😬 😴 😷 🤒 😵 🤯 🥳 😕 😟 😮 😳 🥺 😢 😭 😱 😡 🤬',
  people: '👍 👎 👌 ✌️ 🤞 👏 🙌 🙏 💪 👋 ✋ 👉 👈 👆 👇 🤝 ✍️ 👀 🧠 👶 👩 👨 🧑‍💻 👩‍🔬 👨‍🏫',
  hearts: '❤️ 🧡 💛 💚 💙 💜 🖤 🤍 💔 💯 💢 💥 💫 💦 💤',
  nature:
    '🐶 🐱 🐭 🐰 🦊 🐻 🐼 🐨 🐯 🐸 🐵 🐔 🐧 🐦 🐝 🦋 🐢 🐍 🐟 🐳 🌱 🌲 🌵 🌸 🌻 🍁 🍀 🌍 🌙 ⭐ ☀️ ⛅ 🌧️ ⛄ ❄️ 🔥 🌊',
  food: '🍎 🍊 🍋 🍉 🍇 🍓 🍑 🥑 🍅 🥕 🌽 🍞 🧀 🍳 🍔 🍟 🍕 🍜 🍣 🥟 🍚 🍦 🍰 🍪 🍫 ☕ 🍵 🍺 🍷',
  things:
    '⚽ 🏀 🎮 🎲 🎵 🎬 📷 💻 📱 ⌨️ 🖥️ 🖨️ 💾 📀 🔋 💡 🔦 📖 📚 📝 ✏️ 📎 📌 📅 📈 📉 📊 🗂️ 🗑️ 🔒 🔑 🔨 🛠️ ⚙️ 🧪 💊 🎁 🏆 🚗 ✈️ 🚀 🏠 ⏰ ⏳',
  signs: '✅ ☑️ ✔️ ❌ ❎ ❓ ❗ ⚠️ ⛔ 🚫 ♻️ ➕ ➖ ➡️ ⬅️ ⬆️ ⬇️ ↩️ 🔄 🔴 🟠 🟡 🟢 🔵 🟣 ⚫ ⚪ 🔗 ℹ️ 🆕 🆗',
};

/** EmojiDialog offers signs to put into the text. */
export default function EmojiDialog({
  onChoose,
  onClose,
}: {
  onChoose: (sign: string) => void;
  onClose: () => void;
}) {
  const t = useT();
  return (
    <Dialog title={t('editor.emoji')} onClose={onClose}>
      {Object.entries(groups).map(([name, signs]) => (
        <section key={name} aria-label={t(`editor.emojis.${name}`)}>
          <h3 className={styles.group}>{t(`editor.emojis.${name}`)}</h3>
          <div className={styles.emojis}>
            {signs.split(' ').map((sign) => (
              <button key={sign} type="button" onClick={() => onChoose(sign)}>
                {sign}
              </button>
            ))}
          </div>
        </section>
      ))}
    </Dialog>
  );
}
