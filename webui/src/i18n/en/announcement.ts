const announcement = {
  title: 'Announcement',
  never: 'Don’t show again',
  gotIt: 'Got it',
};

export default announcement;
